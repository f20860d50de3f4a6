// Statements of a program that ask a database: each has a finding, also where what it reads is kept nowhere.
using Shop;
using var db = new ShopContext();
var large = db.Sales.Where(s => s.Id > 5).ToList();
foreach (var x in large) Console.WriteLine(x.Id);
foreach (var y in db.Sales.Where(s => s.Id > 7)) Console.WriteLine(y.Id);
var q = db.Sales.Where(s => s.Id > 8);
foreach (var y in q) Console.WriteLine(y.Id);
Print(db);
if (large.Count > 1) { var more = db.Sales.ToList(); Console.WriteLine(more.Count); }
using (var d2 = new ShopContext()) { var inner = d2.Sales.ToList(); }
Console.WriteLine(db.Sales.Count());
try { var t = db.Sales.ToList(); } catch { }
void Print(ShopContext db) { foreach (var s in db.Sales) Console.WriteLine(s.Id); }
List<Sale> Local(ShopContext db) => db.Sales.ToList();
int LocalStatic(ShopContext db) { return db.Sales.Count(); }
