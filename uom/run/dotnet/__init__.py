"""The C# side for real: the user's dotnet, EF Core, and a relational database."""
