package com.example.shop;

import static org.springframework.data.mongodb.core.aggregation.Aggregation.newAggregation;
import static org.springframework.data.mongodb.core.aggregation.Aggregation.stage;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;

public class Reports {
    private final MongoTemplate mongo;

    public Reports(MongoTemplate mongo) {
        this.mongo = mongo;
    }

    public record Sales(Integer productId, Integer quantity, BigDecimal amount) {}

    public record CustomerOrders(String customer, Integer orders) {}

    public record OrderOfCustomer(Integer orderId, String customer, Instant placed) {}

    public List<Sales> salesByProduct() {
        return mongo.aggregate(
                        newAggregation(
                                stage("{ $unwind: '$lines' }"),
                                stage("""
                                        { $group: {
                                            _id: '$lines.productId',
                                            quantity: { $sum: '$lines.quantity' },
                                            amount: { $sum: { $multiply: ['$lines.quantity', '$lines.price'] } }
                                        } }"""),
                                stage("{ $project: { _id: 0, productId: '$_id', quantity: 1, amount: 1 } }"),
                                stage("{ $sort: { productId: 1 } }")),
                        "orders",
                        Sales.class)
                .getMappedResults();
    }

    public List<CustomerOrders> ordersPerCustomer() {
        return mongo.aggregate(
                        newAggregation(
                                stage("{ $lookup: { from: 'orders', localField: '_id', foreignField: 'customerId', as: 'o' } }"),
                                stage("{ $project: { _id: 0, customer: '$name', orders: { $size: '$o' } } }"),
                                stage("{ $sort: { orders: -1, customer: 1 } }")),
                        "customers",
                        CustomerOrders.class)
                .getMappedResults();
    }

    public List<OrderOfCustomer> ordersOf(String city) {
        return mongo.aggregate(
                        newAggregation(
                                stage("{ $lookup: { from: 'customers', localField: 'customerId', foreignField: '_id', as: 'c' } }"),
                                stage("{ $unwind: '$c' }"),
                                stage(new Document("$match", new Document("c.city", city))),
                                stage("{ $project: { _id: 0, orderId: '$_id', customer: '$c.name', placed: 1 } }"),
                                stage("{ $sort: { orderId: 1 } }")),
                        "orders",
                        OrderOfCustomer.class)
                .getMappedResults();
    }

    public List<Document> raw() {
        return mongo.aggregate(newAggregation(stage("{ $sort: { _id: 1 } }"), stage("{ $limit: 3 }")), "orders", Document.class)
                .getMappedResults();
    }

    public BigDecimal dearest() {
        return mongo.aggregate(
                        newAggregation(stage("{ $group: { _id: null, value: { $max: '$price' } } }")),
                        "products",
                        Document.class)
                .getUniqueMappedResult()
                .get("value", org.bson.types.Decimal128.class)
                .bigDecimalValue();
    }
}
