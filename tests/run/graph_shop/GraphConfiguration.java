package com.example.graph;

import com.example.graph.model.Person;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.neo4j.driver.Driver;
import org.neo4j.driver.Value;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.neo4j.core.DatabaseSelectionProvider;
import org.springframework.data.neo4j.core.Neo4jClient;
import org.springframework.data.neo4j.core.convert.Neo4jConversions;
import org.springframework.data.neo4j.core.mapping.Neo4jMappingContext;

/** What a bundle brings to the harness. */
public final class GraphConfiguration {
    private GraphConfiguration() {}

    public static Neo4jClient client(Driver driver, String database) {
        return Neo4jClient.with(driver)
                .withDatabaseSelectionProvider(DatabaseSelectionProvider.createStaticDatabaseSelectionProvider(database))
                .build();
    }

    public static Neo4jMappingContext mapping() {
        var conversions = new Neo4jConversions(List.of(new InstantReader()));
        var context = Neo4jMappingContext.builder().withNeo4jConversions(conversions).build();
        context.setInitialEntitySet(Set.of(Person.class));
        context.afterPropertiesSet();
        return context;
    }

    @ReadingConverter
    private static final class InstantReader implements Converter<Value, Instant> {
        @Override
        public Instant convert(Value stored) {
            return stored.asLocalDateTime().toInstant(ZoneOffset.UTC);
        }
    }
}
