package com.example.graph;

import com.example.graph.model.Person;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.neo4j.driver.types.TypeSystem;
import org.springframework.data.neo4j.core.Neo4jClient;
import org.springframework.data.neo4j.core.mapping.Neo4jMappingContext;

public final class People {
    private final Neo4jClient neo4j;
    private final Neo4jMappingContext mapping;

    public People(Neo4jClient neo4j, Neo4jMappingContext mapping) {
        this.neo4j = neo4j;
        this.mapping = mapping;
    }

    public record Row(String name, BigDecimal sum, LocalDateTime when, OffsetDateTime at, List<Integer> ids) {}

    public List<Person> born(int year) {
        return neo4j.query("MATCH (p:Person) WHERE p.born.year = $year RETURN p ORDER BY p.id")
                .bind(year)
                .to("year")
                .fetchAs(Person.class)
                .mappedBy((types, row) ->
                        mapping.getRequiredMappingFunctionFor(Person.class).apply(TypeSystem.getDefault(), row.get("p")))
                .all()
                .stream()
                .toList();
    }

    public List<Row> rows() {
        return neo4j.query("""
                MATCH (p:Person)-[k:KNOWS]->(q:Person)
                WITH p, sum(k.weight) AS sum, collect(q.id) AS ids
                RETURN p.called AS name, sum, p.seen AS when, p.at AS at, ids ORDER BY p.id""")
                .fetchAs(Row.class)
                .mappedBy((types, row) -> new Row(
                        row.get("name").asString(null),
                        BigDecimal.valueOf(row.get("sum").asLong(), 2),
                        row.get("when").asLocalDateTime(null),
                        row.get("at").asOffsetDateTime(null),
                        row.get("ids").asList(id -> id.asInt())))
                .all()
                .stream()
                .toList();
    }

    public long count() {
        return neo4j.query("MATCH (p:Person) RETURN count(p) AS n").fetchAs(Long.class).one().orElseThrow();
    }

    public String nobody() {
        return neo4j.query("MATCH (p:Person {id: -1}) RETURN p.called AS name").fetchAs(String.class).one().orElse(null);
    }

    public Collection<Map<String, Object>> anything() {
        return neo4j.query("MATCH (p:Person {id: 1}) RETURN p AS node, duration('P1D') AS span, 1.5 AS number").fetch().all();
    }

    public void write() {
        neo4j.query("MATCH (p:Person) SET p.called = 'x'").run();
    }

    public long slow() {
        return neo4j.query("UNWIND range(1, 100000000) AS a UNWIND range(1, 100000000) AS b RETURN count(*) AS n")
                .fetchAs(Long.class)
                .one()
                .orElseThrow();
    }
}
