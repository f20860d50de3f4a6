// Statements of the shapes that translated queries have, run once at set-up while the server's archive of loaded
// classes is made: what they load starts faster ever after. One statement per paragraph; results do not matter.

CREATE CONSTRAINT person_id IF NOT EXISTS FOR (n:Person) REQUIRE n.id IS UNIQUE

CREATE INDEX person_name IF NOT EXISTS FOR (n:Person) ON (n.name)

CALL db.awaitIndexes(30)

UNWIND range(1, 200) AS i
CREATE (p:Person {id: i, name: 'p' + i, age: i % 50, price: i * 100, ratio: i / 7.0, active: i % 2 = 0,
  born: date('1990-01-01') + duration({days: i}), seen: localdatetime('2020-01-01T10:00:00'),
  at: datetime('2020-01-01T10:00:00+02:00'), time: localtime('10:00')})

UNWIND $rows AS row CREATE (n:City) SET n = row

UNWIND range(1, 199) AS i MATCH (a:Person {id: i}), (b:Person {id: i + 1}) CREATE (a)-[r:KNOWS {since: i}]->(b)

UNWIND $rows AS row MATCH (a:Person {id: row.id}) MATCH (b:City {id: row.id}) CREATE (a)-[r:LIVES_IN]->(b) SET r = row

UNWIND $pairs AS row CREATE (n:`Thing`) SET n = row[1] RETURN row[0], elementId(n)

MATCH (n:Thing) WITH collect([elementId(n), elementId(n), {weight: 1}]) AS rows UNWIND rows AS row
MATCH (a) WHERE elementId(a) = row[0] MATCH (b) WHERE elementId(b) = row[1] CREATE (a)-[r:`LINK`]->(b) SET r = row[2]

MATCH (x) WITH x, labels(x) AS kind UNWIND keys(x) + [''] AS name
WITH kind, name, CASE WHEN x[name] IS :: INTEGER NOT NULL THEN (x[name] % $low + $low) % $low ELSE 0 END AS part
RETURN kind, name, count(*) AS values, sum(part) AS sum

MATCH ()-[x]->() WITH x, [type(x)] AS kind UNWIND keys(x) + [''] AS name
WITH kind, name, CASE WHEN x[name] IS :: INTEGER NOT NULL THEN (x[name] % $low + $low) % $low ELSE 0 END AS part
RETURN kind, name, count(*) AS values, sum(part) AS sum

MATCH (p:Person) WHERE p.id = $id RETURN p

MATCH (p:Person {id: $id}) RETURN p.name AS name, p.price AS price

MATCH (p:Person) WHERE p.age >= $low AND p.age < $high RETURN p ORDER BY p.name, p.id DESC SKIP $skip LIMIT $limit

MATCH (p:Person) WHERE p.name IN $names OR p.name IS NULL RETURN p.id AS id ORDER BY id

MATCH (p:Person) WHERE NOT (coalesce(p.active, false)) RETURN count(*) AS n

MATCH (p:Person) WHERE p.name STARTS WITH $text OR p.name CONTAINS $text OR p.name ENDS WITH $text RETURN p.name AS n

MATCH (p:Person) WHERE toLower(p.name) = toLower($text) AND size(p.name) > 1 AND trim(p.name) <> '' RETURN substring(p.name, 0, 1) + '!' AS v

MATCH (p:Person)-[:KNOWS]->(q:Person) WHERE q.age > $low RETURN p.name AS a, q.name AS b ORDER BY a, b LIMIT 10

MATCH (p:Person) OPTIONAL MATCH (p)-[:LIVES_IN]->(c:City) RETURN p.id AS id, c.name AS city ORDER BY c.name IS NULL DESC, city, id

MATCH (p:Person) OPTIONAL MATCH (p)-[r:KNOWS]->(q) WITH p, count(q) AS n, sum(q.price) AS s WHERE n > 0 RETURN p.id AS id, n, s ORDER BY n DESC, id

MATCH (p:Person) WITH p.age AS age, count(*) AS n, sum(p.price) AS s, avg(p.ratio) AS a, min(p.born) AS lo, max(p.name) AS hi RETURN age, n, s, a, lo, hi ORDER BY age

MATCH (p:Person) WITH p.age AS age, collect(p) AS ps RETURN age, [x IN ps WHERE x.active | x.name] AS names, size(ps) AS n ORDER BY age

MATCH (p:Person) RETURN DISTINCT p.age AS age ORDER BY age

MATCH (p:Person) WHERE EXISTS { (p)-[:KNOWS]->(q:Person) WHERE q.age > $low } RETURN p.id AS id ORDER BY id

MATCH (p:Person) WHERE NOT EXISTS { MATCH (p)<-[:KNOWS]-(q:Person) WHERE NOT q.active RETURN 1 } RETURN count(p) AS n

MATCH (p:Person) RETURN p.id AS id, COUNT { (p)-[:KNOWS]->() } AS n, COLLECT { MATCH (p)-[:KNOWS]->(q) RETURN q.name ORDER BY q.name } AS names ORDER BY id LIMIT 5

MATCH (p:Person) CALL (p) { MATCH (p)-[:KNOWS]->(q) RETURN sum(q.price) AS s } RETURN p.id AS id, s ORDER BY id

MATCH (p:Person) CALL (p) { OPTIONAL MATCH (p)-[:KNOWS]->(q) RETURN q ORDER BY q.id LIMIT 1 } RETURN p, q ORDER BY p.id LIMIT 3

MATCH (p:Person) RETURN p { .id, .name, friends: [(p)-[:KNOWS]->(q) | q { .id, .name }] } AS row ORDER BY p.id LIMIT 3

CALL () { MATCH (p:Person) WHERE p.age = 1 RETURN p.id AS id UNION MATCH (p:Person) WHERE p.age = 2 RETURN p.id AS id } RETURN id ORDER BY id

MATCH (p:Person) WHERE p.age = 1 RETURN p.id AS id UNION ALL MATCH (p:Person) WHERE p.age = 2 RETURN p.id AS id

MATCH (p:Person) RETURN CASE WHEN p.age > 10 THEN 'old' WHEN p.age IS NULL THEN null ELSE 'young' END AS v, CASE p.age WHEN 1 THEN 'one' ELSE 'more' END AS w LIMIT 5

MATCH (p:Person) WHERE p.born.year = 1990 AND p.seen.month = 1 AND p.at < datetime('2024-01-01T00:00Z') RETURN p.born.day AS d, date.truncate('month', p.born) AS m, toString(p.born) AS t, p.seen + duration({days: 1}) AS s LIMIT 5

MATCH (p:Person) RETURN abs(p.age - 10) AS a, round(p.ratio, 2, 'HALF_EVEN') AS b, floor(p.ratio) AS c, p.age % 7 AS d, p.price / 3 AS e, toFloat(p.price) / 100 AS f, sqrt(p.ratio) AS g, sign(p.age) AS h LIMIT 5

MATCH (p:Person) RETURN replace(p.name, 'p', 'q') AS a, split(p.name, 'p') AS b, left(p.name, 1) AS c, right(p.name, 1) AS d, toUpper(p.name) AS e, reverse(p.name) AS f, p.name =~ '(?i)P.*' AS g, toString(p.age) AS h, toInteger('3') AS i LIMIT 5

MATCH (p:Person) RETURN any(x IN [1, 2] WHERE x = p.age) AS a, all(x IN [1, 2] WHERE x < p.age) AS b, none(x IN [1] WHERE x = p.age) AS c, reduce(s = 0, x IN [1, 2, 3] | s + x) AS d, head([1, 2]) AS e, last([1, 2]) AS f, [1, 2, 3][0..2] AS g LIMIT 5

MATCH (a:Person), (b:Person) WHERE a.age = b.age AND a.id < b.id RETURN a.id AS a, b.id AS b ORDER BY a, b LIMIT 10

MATCH (p:Person) MATCH (p)-[k:KNOWS]->(q) WHERE k.since > 10 RETURN p, collect(k) AS ks, collect(q) AS qs LIMIT 3

MATCH (n:`Person`) WHERE n.id = $id RETURN n{.id, .name, __nodeLabels__: labels(n), __elementId__: elementId(n)} AS person

UNWIND range(0, 3) AS i OPTIONAL MATCH (p:Person {id: i}) RETURN i, p IS NULL AS missing, properties(p) AS all, labels(p) AS labels, keys(p) AS keys

MATCH path = (a:Person {id: 1})-[:KNOWS*1..3]->(b) RETURN length(path) AS n, b.name AS name ORDER BY n

RETURN [$id, $text, $low, $names, $rows, $when, $day, $zoned] AS v

MATCH (n) RETURN labels(n) AS labels, count(*) AS n

MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS n

SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'uom_' RETURN name

SHOW INDEXES YIELD name, owningConstraint WHERE owningConstraint IS NULL RETURN name

CALL dbms.components() YIELD name, versions, edition RETURN name, versions, edition

EXPLAIN MATCH (p:Person) RETURN p

MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS

DROP CONSTRAINT person_id IF EXISTS

DROP INDEX person_name IF EXISTS
