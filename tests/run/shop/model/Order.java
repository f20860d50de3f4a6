package com.example.shop.model;

import java.time.Instant;
import java.util.List;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.mapping.MongoId;

@Document("orders")
public record Order(@MongoId Integer id, Integer customerId, Instant placed, List<Line> lines) {}
