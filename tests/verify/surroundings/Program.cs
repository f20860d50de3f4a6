using Contoso.Billing;
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddDbContext<BillingContext>(o => o.UseSqlServer(builder.Configuration.GetConnectionString("Default")));
builder.Build().Run();
