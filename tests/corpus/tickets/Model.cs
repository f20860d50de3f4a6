#nullable disable
using System;
using System.Collections.Generic;
using System.ComponentModel.DataAnnotations;
using System.ComponentModel.DataAnnotations.Schema;
using Microsoft.EntityFrameworkCore;

namespace TicketHub.Data
{
    public enum EventStatus { Draft = 0, OnSale = 1, SoldOut = 2, Cancelled = 3 }
    public enum PayMethod { Card, Transfer, Voucher }

    public abstract class AuditedEntity
    {
        [Key] public long Id { get; set; }
        public DateTime Created { get; set; }
        public DateTime? Modified { get; set; }
        public bool IsDeleted { get; set; }
    }
    public class Venue : AuditedEntity
    {
        public string Name { get; set; }
        public string City { get; set; }
        public uint Capacity { get; set; }
        public double? Latitude { get; set; }
        public double? Longitude { get; set; }
        public virtual IList<Show> Shows { get; set; }
        public virtual IList<Seat> Seats { get; set; }
    }
    public class Seat
    {
        public long VenueId { get; set; }
        public char Row { get; set; }
        public short Number { get; set; }
        public byte Zone { get; set; }
        public virtual Venue Venue { get; set; }
        public virtual IList<Ticket> Tickets { get; set; }
    }
    [Table("Events")]
    public class Show : AuditedEntity
    {
        [Required, MaxLength(200)] public string Title { get; set; }
        public string Subtitle { get; set; }
        public DateTimeOffset? SalesStart { get; set; }
        public DateTime StartsAt { get; set; }
        public TimeSpan? Duration { get; set; }
        public EventStatus Status { get; set; }
        public long VenueId { get; set; }
        public virtual Venue Venue { get; set; }
        public virtual IList<Ticket> Tickets { get; set; }
        public virtual IList<Tag> Tags { get; set; }
        public virtual IList<Price> Prices { get; set; }
    }
    public class Price
    {
        public int Id { get; set; }
        public long ShowId { get; set; }
        public virtual Show Show { get; set; }
        public byte Zone { get; set; }
        public Money Amount { get; set; }
    }
    [ComplexType]
    public class Money { [Column(TypeName = "decimal(19,4)")] public decimal Value { get; set; } [MaxLength(3)] public string Currency { get; set; } }
    public class Tag
    {
        [Key] public string Name { get; set; }
        public int? Weight { get; set; }
        public virtual IList<Show> Shows { get; set; }
    }
    public class Customer
    {
        public Guid CustomerId { get; set; }
        public string Email { get; set; }
        public string DisplayName { get; set; }
        public string Country { get; set; }
        public DateOnly? Birthday { get; set; }
        public bool? Newsletter { get; set; }
        public virtual IList<Purchase> Purchases { get; set; }
    }
    public class Purchase : AuditedEntity
    {
        public Guid? CustomerId { get; set; }
        public virtual Customer Customer { get; set; }
        public PayMethod? Method { get; set; }
        public string VoucherCode { get; set; }
        [Column(TypeName = "decimal(18,2)")] public decimal Total { get; set; }
        [Column(TypeName = "decimal(18,2)")] public decimal? Discount { get; set; }
        public virtual IList<Ticket> Tickets { get; set; }
    }
    public class Ticket
    {
        public Guid Id { get; set; }
        public long ShowId { get; set; }
        public virtual Show Show { get; set; }
        public long? PurchaseId { get; set; }
        public virtual Purchase Purchase { get; set; }
        public long? SeatVenueId { get; set; }
        public char? SeatRow { get; set; }
        public short? SeatNumber { get; set; }
        public virtual Seat Seat { get; set; }
        [Column(TypeName = "decimal(18,2)")] public decimal Price { get; set; }
        public bool Scanned { get; set; }
        public DateTime? ScannedAt { get; set; }
    }

    public class HubContext : DbContext
    {
        public HubContext(DbContextOptions<HubContext> options) : base(options) { }
        public virtual DbSet<Venue> Venues { get; set; }
        public virtual DbSet<Seat> Seats { get; set; }
        public virtual DbSet<Show> Shows { get; set; }
        public virtual DbSet<Price> Prices { get; set; }
        public virtual DbSet<Tag> Tags { get; set; }
        public virtual DbSet<Customer> Customers { get; set; }
        public virtual DbSet<Purchase> Purchases { get; set; }
        public virtual DbSet<Ticket> Tickets { get; set; }

        protected override void OnModelCreating(ModelBuilder builder)
        {
            base.OnModelCreating(builder);
            builder.Entity<Venue>().HasQueryFilter(v => !v.IsDeleted);
            builder.Entity<Show>(entity =>
            {
                entity.HasQueryFilter(s => !s.IsDeleted && !s.Venue.IsDeleted);
                entity.Property(s => s.Status).HasConversion<string>().HasColumnName("status_code");
                entity.HasMany(s => s.Tags).WithMany(t => t.Shows).UsingEntity<Dictionary<string, object>>("ShowTag",
                    r => r.HasOne<Tag>().WithMany().HasForeignKey("TagName"),
                    l => l.HasOne<Show>().WithMany().HasForeignKey("ShowId"));
            });
            builder.Entity<Seat>().HasKey(s => new { s.VenueId, s.Row, s.Number });
            builder.Entity<Ticket>(entity =>
            {
                entity.HasOne(t => t.Seat).WithMany(s => s.Tickets).HasForeignKey(t => new { t.SeatVenueId, t.SeatRow, t.SeatNumber });
                entity.HasOne(t => t.Show).WithMany(s => s.Tickets).HasForeignKey(t => t.ShowId);
            });
            builder.Entity<Purchase>().HasQueryFilter(p => !p.IsDeleted);
            builder.Entity<Purchase>().Property(p => p.Method).HasConversion(v => v.ToString(), v => (PayMethod)Enum.Parse(typeof(PayMethod), v));
        }
    }
}
