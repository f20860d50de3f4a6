package uom.services;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.bson.Document;
import org.bson.UuidRepresentation;
import org.springframework.data.mongodb.core.MongoTemplate;

/** Connects to MongoDB, gives the query classes their template, and calls the queries. */
final class MongoValidation {
    private MongoValidation() {}

    /** Arguments: MongoDB URI, database, folder for results; what is missing comes from the environment. */
    static void main(
            String[] arguments,
            long limitMillis,
            BiFunction<MongoClient, String, MongoTemplate> configuration,
            Consumer<MongoTemplate> construct,
            ValidationRun.Queries queries)
            throws IOException {
        ConnectionString uri =
                new ConnectionString(ValidationRun.setting(arguments, 0, "MONGODB_URI", "mongodb://127.0.0.1:27017"));
        String fromUri = uri.getDatabase() == null ? "test" : uri.getDatabase();
        String name = ValidationRun.setting(arguments, 1, "MONGODB_DATABASE", fromUri);
        Path folder = Path.of(ValidationRun.setting(arguments, 2, "MONGODB_RESULTS_PATH", "results"));
        MongoClientSettings settings = MongoClientSettings.builder()
                .uuidRepresentation(UuidRepresentation.STANDARD)
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(10, TimeUnit.SECONDS))
                .applyConnectionString(uri)
                .build();
        try (MongoClient client = MongoClients.create(settings)) {
            construct.accept(configuration.apply(client, name));
            ValidationRun.run(new Pings(client.getDatabase(name)), folder, limitMillis, queries);
        }
    }

    private record Pings(MongoDatabase database) implements ValidationRun.Marker {
        @Override
        public void mark(String text) {
            database.runCommand(new Document("ping", 1).append("comment", text));
        }

        @Override
        public boolean isUnreachable(RuntimeException failure) {
            return failure instanceof MongoTimeoutException;
        }
    }
}
