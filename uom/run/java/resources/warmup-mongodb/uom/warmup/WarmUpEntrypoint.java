package uom.warmup;

import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.bson.UuidRepresentation;
import org.bson.types.Decimal128;
import org.springframework.data.convert.ConverterBuilder;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;
import org.springframework.data.mongodb.core.aggregation.Aggregation;
import org.springframework.data.mongodb.core.convert.DefaultDbRefResolver;
import org.springframework.data.mongodb.core.convert.DefaultMongoTypeMapper;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions.BigDecimalRepresentation;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldType;
import org.springframework.data.mongodb.core.mapping.MongoId;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import uom.services.ResultWriter;

/** Touches what bundles touch: mapping, queries, pipelines, the driver. No server answers here, and none needs to. */
public final class WarmUpEntrypoint {
    enum Kind {
        SMALL,
        LARGE
    }

    record Line(Integer product, @Field(targetType = FieldType.DECIMAL128) BigDecimal price) {}

    @org.springframework.data.mongodb.core.mapping.Document("orders")
    record Order(@MongoId Integer id, String customer, Instant placed, Kind kind, List<Line> lines) {}

    static class Customer {
        @MongoId
        private Integer id;

        @Field("CustomerName")
        private String name;

        public Integer getId() {
            return id;
        }

        public void setId(Integer id) {
            this.id = id;
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    record Row(String customer, Long count) {}

    private WarmUpEntrypoint() {}

    public static void main(String[] arguments) {
        MongoClientSettings settings = MongoClientSettings.builder()
                .applyToClusterSettings(cluster -> cluster.hosts(List.of(new ServerAddress("127.0.0.1", 1)))
                        .serverSelectionTimeout(1, TimeUnit.MILLISECONDS))
                .uuidRepresentation(UuidRepresentation.STANDARD)
                .build();
        try (MongoClient client = MongoClients.create(settings)) {
            MongoTemplate template = template(client);
            queries(template);
            mapping(template);
        }
    }

    private static MongoTemplate template(MongoClient client) {
        var factory = new SimpleMongoClientDatabaseFactory(client, "warmup");
        var conversions = MongoCustomConversions.create(configuration -> configuration
                .bigDecimal(BigDecimalRepresentation.DECIMAL128)
                .useNativeDriverJavaTimeCodecs()
                .registerConverters(ConverterBuilder.writing(Kind.class, Integer.class, Kind::ordinal)
                        .andReading(ordinal -> Kind.values()[ordinal])
                        .getConverters()));
        var context = new MongoMappingContext();
        context.setSimpleTypeHolder(conversions.getSimpleTypeHolder());
        context.afterPropertiesSet();
        var converter = new MappingMongoConverter(new DefaultDbRefResolver(factory), context);
        converter.setCustomConversions(conversions);
        converter.setTypeMapper(new DefaultMongoTypeMapper(null));
        converter.afterPropertiesSet();
        return new MongoTemplate(factory, converter);
    }

    private static void queries(MongoTemplate template) {
        var criteria = Criteria.where("customer").regex("^a").and("lines").elemMatch(Criteria.where("product").in(1, 2));
        var query = Query.query(new Criteria().orOperator(criteria, Criteria.where("placed").gte(Instant.EPOCH)))
                .with(Sort.by(Sort.Direction.DESC, "placed"))
                .skip(1)
                .limit(2);
        query.fields().include("customer");
        var pipeline = Aggregation.newAggregation(
                Aggregation.match(Criteria.where("kind").ne(null)),
                Aggregation.stage("{ $lookup: { from: 'customers', localField: 'customer', foreignField: '_id', as: 'c' } }"),
                Aggregation.unwind("c", true),
                Aggregation.group("customer").count().as("count"),
                Aggregation.sort(Sort.by("count")),
                Aggregation.project().and("_id").as("customer").andInclude("count"));
        attempt(() -> template.find(query, Order.class));
        attempt(() -> template.find(query, Customer.class));
        attempt(() -> template.count(query, Order.class));
        attempt(() -> template.findDistinct(query, "customer", Order.class, String.class));
        attempt(() -> template.aggregate(pipeline, "orders", Row.class).getMappedResults());
    }

    private static void mapping(MongoTemplate template) {
        Document line = new Document("product", 1).append("price", new Decimal128(new BigDecimal("1.50")));
        Document order = new Document("_id", 1).append("customer", "a").append("placed", new Date(0)).append("kind", 1);
        StringBuilder json = new StringBuilder();
        ResultWriter.write(template.getConverter().read(Order.class, order.append("lines", List.of(line))), json);
        ResultWriter.write(template.getConverter().read(Customer.class, new Document("_id", 1).append("CustomerName", "a")), json);
        ResultWriter.write(order, json);
        System.out.println(json);
        template.getConverter().write(new Order(1, "a", Instant.EPOCH, Kind.SMALL, List.of()), new Document());
    }

    private static void attempt(Runnable query) {
        try {
            query.run();
        } catch (RuntimeException noServer) {
            // as intended
        }
    }
}
