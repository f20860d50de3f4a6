package uom.warmup;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.neo4j.driver.AuthTokens;
import org.neo4j.driver.Config;
import org.neo4j.driver.Driver;
import org.neo4j.driver.GraphDatabase;
import org.neo4j.driver.Logging;
import org.neo4j.driver.Value;
import org.neo4j.driver.Values;
import org.neo4j.driver.types.TypeSystem;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.convert.WritingConverter;
import org.springframework.data.neo4j.core.DatabaseSelectionProvider;
import org.springframework.data.neo4j.core.Neo4jClient;
import org.springframework.data.neo4j.core.convert.Neo4jConversions;
import org.springframework.data.neo4j.core.mapping.Neo4jMappingContext;
import org.springframework.data.neo4j.core.schema.Id;
import org.springframework.data.neo4j.core.schema.Node;
import org.springframework.data.neo4j.core.schema.Relationship;
import uom.services.ResultWriter;

/** Touches what bundles touch: mapping, statements, the driver. No server answers here, and none needs to. */
public final class WarmUpEntrypoint {
    enum Kind {
        SMALL,
        LARGE
    }

    @Node("Order")
    static class Order {
        @Id
        private int id;

        private Instant placed;
        private Kind kind;

        @Relationship("CONTAINS")
        private List<Line> lines;

        public int getId() {
            return id;
        }

        public void setId(int id) {
            this.id = id;
        }

        public Instant getPlaced() {
            return placed;
        }

        public void setPlaced(Instant placed) {
            this.placed = placed;
        }

        public Kind getKind() {
            return kind;
        }

        public void setKind(Kind kind) {
            this.kind = kind;
        }

        public List<Line> getLines() {
            return lines;
        }

        public void setLines(List<Line> lines) {
            this.lines = lines;
        }
    }

    @Node("Line")
    static class Line {
        @Id
        private String key;

        private String product;

        public String getKey() {
            return key;
        }

        public void setKey(String key) {
            this.key = key;
        }

        public String getProduct() {
            return product;
        }

        public void setProduct(String product) {
            this.product = product;
        }
    }

    record Row(String customer, Long count, BigDecimal sum) {}

    @ReadingConverter
    private static final class InstantReader implements Converter<Value, Instant> {
        @Override
        public Instant convert(Value stored) {
            return stored.asLocalDateTime().toInstant(ZoneOffset.UTC);
        }
    }

    @WritingConverter
    private static final class InstantWriter implements Converter<Instant, Value> {
        @Override
        public Value convert(Instant value) {
            return Values.value(LocalDateTime.ofInstant(value, ZoneOffset.UTC));
        }
    }

    private WarmUpEntrypoint() {}

    public static void main(String[] arguments) {
        Config config = Config.builder()
                .withConnectionTimeout(1, TimeUnit.MILLISECONDS)
                .withMaxTransactionRetryTime(0, TimeUnit.SECONDS)
                .withEventLoopThreads(1)
                .withTelemetryDisabled(true)
                .withLogging(Logging.none())
                .build();
        try (Driver driver = GraphDatabase.driver("bolt://127.0.0.1:1", AuthTokens.none(), config)) {
            var selection = DatabaseSelectionProvider.createStaticDatabaseSelectionProvider("neo4j");
            statements(Neo4jClient.with(driver).withDatabaseSelectionProvider(selection).build());
        }
        mapping();
    }

    private static void statements(Neo4jClient client) {
        attempt(() -> client.query("""
                MATCH (order:Order)
                WHERE order.id IN $ids
                RETURN order""")
                .bind(List.of(1, 2))
                .to("ids")
                .fetchAs(Row.class)
                .mappedBy((types, row) -> new Row(row.get("c").asString(null), row.get("n").asLong(), BigDecimal.ONE))
                .all()
                .stream()
                .toList());
        attempt(() -> client.query("RETURN 1 AS one").fetchAs(Long.class).one().orElse(null));
    }

    private static void mapping() {
        var conversions = new Neo4jConversions(List.of(new InstantReader(), new InstantWriter()));
        var context = Neo4jMappingContext.builder().withNeo4jConversions(conversions).build();
        context.setInitialEntitySet(Set.of(Order.class, Line.class));
        context.afterPropertiesSet();
        Value row = Values.value(Map.of(
                "__nodeLabels__", List.of("Order"), "id", 1, "placed", LocalDateTime.of(2024, 1, 1, 0, 0), "kind", "SMALL"));
        StringBuilder json = new StringBuilder();
        attempt(() -> ResultWriter.write(
                context.getRequiredMappingFunctionFor(Order.class).apply(TypeSystem.getDefault(), row), json));
        ResultWriter.write(new Row("a", 1L, BigDecimal.TEN), json);
        System.out.println(json);
    }

    private static void attempt(Runnable query) {
        try {
            query.run();
        } catch (RuntimeException noServer) {
            // as intended
        }
    }
}
