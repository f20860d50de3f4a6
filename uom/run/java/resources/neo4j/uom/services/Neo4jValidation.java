package uom.services;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.neo4j.driver.AuthToken;
import org.neo4j.driver.AuthTokens;
import org.neo4j.driver.Config;
import org.neo4j.driver.Driver;
import org.neo4j.driver.GraphDatabase;
import org.neo4j.driver.Logging;
import org.neo4j.driver.Session;
import org.neo4j.driver.SessionConfig;
import org.neo4j.driver.exceptions.Neo4jException;
import org.neo4j.driver.exceptions.ServiceUnavailableException;
import org.springframework.data.neo4j.core.Neo4jClient;

/** Connects to Neo4j, gives the query classes their client, and calls the queries. */
final class Neo4jValidation {
    private Neo4jValidation() {}

    /**
     * Arguments: Bolt URI, database, folder for results; what is missing comes from the environment, where
     * NEO4J_USERNAME and NEO4J_PASSWORD may stand, too.
     */
    static void main(
            String[] arguments,
            long limitMillis,
            BiFunction<Driver, String, Neo4jClient> configuration,
            Consumer<Neo4jClient> construct,
            ValidationRun.Queries queries)
            throws IOException {
        String uri = ValidationRun.setting(arguments, 0, "NEO4J_URI", "bolt://127.0.0.1:7687");
        String database = ValidationRun.setting(arguments, 1, "NEO4J_DATABASE", "neo4j");
        Path folder = Path.of(ValidationRun.setting(arguments, 2, "NEO4J_RESULTS_PATH", "results"));
        Driver shared = shared(uri, false);
        if (shared != null) {
            run(shared, database, folder, limitMillis, configuration, construct, queries);
            return;
        }
        try (Driver driver = connect(uri)) {
            run(driver, database, folder, limitMillis, configuration, construct, queries);
        }
    }

    private static void run(
            Driver driver,
            String database,
            Path folder,
            long limitMillis,
            BiFunction<Driver, String, Neo4jClient> configuration,
            Consumer<Neo4jClient> construct,
            ValidationRun.Queries queries)
            throws IOException {
        construct.accept(configuration.apply(driver, database));
        ValidationRun.run(new Marks(driver, database, limitMillis), folder, limitMillis, queries);
    }

    static Driver connect(String uri) {
        Config config = Config.builder()
                .withConnectionTimeout(10, TimeUnit.SECONDS)
                .withConnectionAcquisitionTimeout(10, TimeUnit.SECONDS)
                .withMaxTransactionRetryTime(0, TimeUnit.SECONDS)
                .withEventLoopThreads(1)
                .withTelemetryDisabled(true)
                .withLogging(Logging.none())
                .build();
        Driver driver = GraphDatabase.driver(uri, credentials(), config);
        try {
            driver.verifyConnectivity(); // starts its threads here and now
        } catch (Neo4jException unreachable) {
            // each query will say so
        }
        return driver;
    }

    /** The driver that our own worker keeps over many runs; null elsewhere. */
    private static Driver shared(String uri, boolean renew) {
        try {
            Driver driver = (Driver) Class.forName("uom.worker.SharedClients")
                    .getMethod("get", String.class, Callable.class, boolean.class)
                    .invoke(null, uri, (Callable<Driver>) () -> connect(uri), renew);
            if (!renew && isClosed(driver)) {
                return shared(uri, true);
            }
            return driver;
        } catch (ClassNotFoundException elsewhere) {
            return null;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static boolean isClosed(Driver driver) {
        try (Session session = driver.session()) {
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    private static AuthToken credentials() {
        String password = ValidationRun.setting(new String[0], 0, "NEO4J_PASSWORD", "");
        return password.isEmpty()
                ? AuthTokens.none()
                : AuthTokens.basic(ValidationRun.setting(new String[0], 0, "NEO4J_USERNAME", "neo4j"), password);
    }

    /** A statement that means nothing to the server. The limit lets the listener end what takes longer. */
    private record Marks(Driver driver, String database, long limitMillis) implements ValidationRun.Marker {
        @Override
        public void mark(String text) {
            if (text.startsWith("uom:end")) {
                return; // the next beginning says as much, and a late statement still belongs to its query
            }
            try (Session session = driver.session(SessionConfig.forDatabase(database))) {
                session.run("RETURN $uom AS uom", Map.of("uom", text, "limit", limitMillis)).consume();
            }
        }

        @Override
        public boolean isUnreachable(RuntimeException failure) {
            return failure instanceof ServiceUnavailableException;
        }
    }
}
