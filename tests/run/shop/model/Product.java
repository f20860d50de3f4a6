package com.example.shop.model;

import java.math.BigDecimal;
import java.util.List;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldType;
import org.springframework.data.mongodb.core.mapping.MongoId;

@Document("products")
public record Product(
        @MongoId Integer id,
        String name,
        Kind kind,
        @Field(targetType = FieldType.DECIMAL128) BigDecimal price,
        Boolean discontinued,
        List<String> tags) {}
