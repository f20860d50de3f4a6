package com.example.shop;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

import com.example.shop.model.Customer;
import com.example.shop.model.Kind;
import com.example.shop.model.Order;
import com.example.shop.model.Product;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Sort;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;

public class Filters {
    private final MongoTemplate mongo;

    public Filters(MongoTemplate mongo) {
        this.mongo = mongo;
    }

    public List<Product> productsInPriceRange(BigDecimal low, BigDecimal high) {
        return mongo.find(query(where("price").gte(low).lte(high)).with(Sort.by("id")), Product.class);
    }

    public List<Product> foodOrTagged(String tag) {
        return mongo.find(
                query(where("id").gt(0).orOperator(where("kind").is(Kind.FOOD), where("tags").is(tag))), Product.class);
    }

    public List<Customer> customersNamedLike(String start) {
        return mongo.find(query(where("name").regex("^" + start)).with(Sort.by("name", "id")), Customer.class);
    }

    public List<Order> ordersBetween(Instant from, Instant to) {
        return mongo.find(query(where("placed").gte(from).lt(to)).with(Sort.by("id")), Order.class);
    }

    public List<Order> ordersWithProduct(int productId) {
        return mongo.find(
                query(where("lines").elemMatch(where("productId").is(productId).and("quantity").gt(1))), Order.class);
    }

    public List<Product> page(int number) {
        return mongo.find(new Query().with(Sort.by("name", "id")).skip(number * 10L).limit(10), Product.class);
    }

    public List<String> cities() {
        return mongo.findDistinct(new Query(), "city", Customer.class, String.class);
    }

    public long discontinued() {
        return mongo.count(query(where("discontinued").is(true)), Product.class);
    }

    public Optional<Customer> customer(int id) {
        return Optional.ofNullable(mongo.findById(id, Customer.class));
    }

    public boolean anyCustomerIn(String city) {
        return mongo.exists(query(where("city").is(city)), Customer.class);
    }
}
