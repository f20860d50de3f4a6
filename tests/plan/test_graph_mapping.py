"""The graph design: what it makes of a schema, and `mapping.yaml` as a file that one can edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import schema_of
from uom.model.schema import Schema
from uom.plan.mapping.graph_file import read_graphs, to_yaml
from uom.plan.mapping.graphs import default_graph
from uom.plan.mapping.relationship_names import upper_snake
from uom.plan.mapping.yaml_nodes import MappingProblem

SHOP = """
public class Customer { public string Id { get; set; } public string Name { get; set; } public List<Order> Orders { get; set; } }
public class Order
{
    public int Id { get; set; }
    public string CustomerId { get; set; }
    public int? ApprovedById { get; set; }
    public int? SellerId { get; set; }
    [Precision(18, 4)] public decimal Freight { get; set; }
    public Customer Customer { get; set; }
    public Employee? ApprovedBy { get; set; }
    public Employee? Seller { get; set; }
    public List<Line> Lines { get; set; }
}
[PrimaryKey(nameof(OrderId), nameof(ProductId))]
public class Line
{
    public int OrderId { get; set; }
    public int ProductId { get; set; }
    public int Quantity { get; set; }
    public Order Order { get; set; }
    public Product Product { get; set; }
}
public class Product
{
    public int Id { get; set; }
    public int CategoryId { get; set; }
    public decimal Price { get; set; }
    public Category Category { get; set; }
    public List<Tag> Tags { get; set; }
}
public class Category { public int Id { get; set; } public int? ParentId { get; set; } public Category? Parent { get; set; } }
public class Tag { public int Id { get; set; } public List<Product> Products { get; set; } }
public class Employee { public int Id { get; set; } public int? ManagerId { get; set; } public Employee? Manager { get; set; } }
public class Manager : Employee { public string Title { get; set; } }
public class ShopContext : DbContext
{
    public DbSet<Customer> Customers { get; set; }
    public DbSet<Order> Orders { get; set; }
    public DbSet<Line> Lines { get; set; }
    public DbSet<Product> Products { get; set; }
    public DbSet<Category> Categories { get; set; }
    public DbSet<Tag> Tags { get; set; }
    public DbSet<Employee> Employees { get; set; }
    public DbSet<Manager> Managers { get; set; }
}
"""

PAYLOAD = """
public class Student { public int Id { get; set; } public List<Course> Courses { get; set; } public List<Enrolment> Enrolments { get; set; } }
public class Course { public int Id { get; set; } public List<Student> Students { get; set; } public List<Enrolment> Enrolments { get; set; } }
public class Enrolment
{
    public int StudentId { get; set; }
    public int CourseId { get; set; }
    public int Grade { get; set; }
    public Student Student { get; set; }
    public Course Course { get; set; }
}
public class SchoolContext : DbContext
{
    public DbSet<Student> Students { get; set; }
    public DbSet<Course> Courses { get; set; }
    public DbSet<Enrolment> Enrolments { get; set; }
    protected override void OnModelCreating(ModelBuilder b)
    {
        b.Entity<Student>().HasMany(s => s.Courses).WithMany(c => c.Students).UsingEntity<Enrolment>(
            r => r.HasOne(e => e.Course).WithMany(c => c.Enrolments).HasForeignKey(e => e.CourseId),
            l => l.HasOne(e => e.Student).WithMany(s => s.Enrolments).HasForeignKey(e => e.StudentId));
    }
}
"""


def patterns(text: str) -> set[str]:
    """All relationships as Cypher would draw them."""
    graph = default_graph(schema_of(text))
    links = [(r.start, r.type, r.end) for r in graph.foreign_keys]
    links += [(j.start, j.type, j.end) for j in graph.joins]
    links += [(e.start, e.type, e.end) for e in graph.entities]
    return {f"({start})-[{type_}]->({end})" for start, type_, end in links}


def test_relationships_are_named_by_role() -> None:
    assert patterns(SHOP) == {
        "(Customer)-[PLACED]->(Order)",
        "(Order)-[APPROVED_BY]->(Employee)",
        "(Order)-[HAS_SELLER]->(Employee)",
        "(Order)-[CONTAINS]->(Line)",
        "(Line)-[OF_PRODUCT]->(Product)",
        "(Product)-[IN_CATEGORY]->(Category)",
        "(Category)-[CHILD_OF]->(Category)",
        "(Employee)-[REPORTS_TO]->(Employee)",
        "(Product)-[HAS_TAG]->(Tag)",
    }


def test_a_join_table_with_a_payload_is_a_relationship_with_properties() -> None:
    graph = default_graph(schema_of(PAYLOAD))
    link = graph.relationship("Enrolment")
    assert link is not None and graph.node("Enrolment") is None
    assert {link.start, link.end} == {"Student", "Course"}
    assert [p.name for p in link.properties] == ["studentId", "courseId", "grade"]


def test_a_hierarchy_has_a_label_per_level_and_a_composite_key_one_property() -> None:
    graph = default_graph(schema_of(SHOP))
    manager, line = graph.node("Manager"), graph.node("Line")
    assert manager is not None and manager.labels == ("Employee", "Manager")
    assert line is not None and line.key == "key"


@pytest.mark.parametrize(
    ("provider", "scale"), [("UseSqlServer", 2), ("UseNpgsql", 4), ("", 4)], ids=["sqlserver", "postgres", "unsaid"]
)
def test_decimals_have_the_scale_of_their_column(provider: str, scale: int) -> None:
    call = f'protected override void OnConfiguring(DbContextOptionsBuilder o) => o.{provider}("x");' if provider else ""
    text = SHOP.replace("public DbSet<Customer> Customers", f"{call} public DbSet<Customer> Customers")
    graph = default_graph(schema_of(text))
    scales = {p.property: p.scale for n in graph.nodes for p in n.properties if p.scale is not None}
    assert scales == {"Freight": 4, "Price": scale}


@pytest.mark.parametrize(
    ("name", "expected"), [("ReportsTo", "REPORTS_TO"), ("HTTPServer", "HTTP_SERVER"), ("a.B.Line", "LINE"), ("ä", "Ä")]
)
def test_upper_snake(name: str, expected: str) -> None:
    assert upper_snake(name) == expected


# mapping.yaml -------------------------------------------------------------------------------------------------------


def written(tmp_path: Path, text: str, *changes: tuple[str, str]) -> tuple[Path, Schema]:
    schema = schema_of(text)
    content = to_yaml([default_graph(schema)], [schema])
    for before, after in changes:
        assert before in content, before
        content = content.replace(before, after, 1)
    file = tmp_path / "mapping.yaml"
    file.write_text(content, encoding="utf-8")
    return file, schema


@pytest.mark.parametrize("text", [SHOP, PAYLOAD], ids=["shop", "payload"])
def test_round_trip(tmp_path: Path, text: str) -> None:
    file, schema = written(tmp_path, text)
    assert read_graphs(file, (default_graph(schema),), [schema]) == (default_graph(schema),)


def test_edits_are_obeyed(tmp_path: Path) -> None:
    changes = (
        ("label: Employee", "label: Person"),
        ("type: PLACED", "type: ORDERED"),
        ("\n        direction: from_principal", "\n        direction: to_principal"),
        ("scale: 4", "scale: 3"),
        ("Line:\n        storage: node", "Line:\n        storage: relationship"),
        ("from: Product\n        to: Tag", "from: Tag\n        to: Product"),
    )
    file, schema = written(tmp_path, SHOP, *changes)
    text = file.read_text(encoding="utf-8")
    # the lines of a node mean nothing to a relationship
    text = text.replace("        label: Line\n        key: key\n", "        type: LISTS\n")
    block = text[text.index("      Line.OrderId:") : text.index("      Product.CategoryId:")]
    file.write_text(text.replace(block, ""), encoding="utf-8")
    (graph,) = read_graphs(file, (default_graph(schema),), [schema])
    manager, line = graph.node("Manager"), graph.relationship("Line")
    assert manager is not None and manager.labels == ("Person", "Manager")
    assert line is not None and (line.start, line.type, line.end) == ("Order", "LISTS", "Product")
    placed = next(r for r in graph.foreign_keys if r.foreign_key.properties == ("CustomerId",))
    assert (placed.start, placed.type, placed.end) == ("Order", "ORDERED", "Customer")
    assert (graph.joins[0].start, graph.joins[0].start_columns[0][1]) == ("Tag", "Id")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("target: neo4j", "target: mongodb", "not for neo4j"),
        ("label: Tag", "label: Order", "two entities have the label 'Order'"),
        ("label: Tag", "labl: Tag", "'labl' is not known"),
        ("Order.CustomerId:", "Order.Customer:", "no foreign key Order.Customer"),
        ("type: HAS_SELLER", "type: APPROVED_BY", "both called APPROVED_BY"),
        ("        direction: to_principal", "        direction: up", "'up' is no direction"),
        ("scale: 4", "scale: 40", "is no scale"),
        ("Name: name", "Name: {name: x, scale: 2}", "is no scale"),
        ("Name: name", "Name: id", "stored as 'id'"),
        ("Name: name", "Nome: name", "no property of Customer called Nome"),
        ("label: Tag", "storage: relationship", "cannot be a relationship"),
        ("Line:\n        storage: node", "Line:\n        storage: edge", "is no storage"),
        ("from: Product", "from: Order", "not its two ends"),
        ("ProductTag:", "TagProduct:", "no join table"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, before: str, after: str, words: str) -> None:
    file, schema = written(tmp_path, SHOP, (before, after))
    with pytest.raises(MappingProblem) as caught:
        read_graphs(file, (default_graph(schema),), [schema])
    text = str(caught.value.diagnostic)
    assert words in text and str(file) in text, text
