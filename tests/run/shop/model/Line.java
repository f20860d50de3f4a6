package com.example.shop.model;

import java.math.BigDecimal;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldType;

public record Line(Integer productId, Integer quantity, @Field(targetType = FieldType.DECIMAL128) BigDecimal price) {}
