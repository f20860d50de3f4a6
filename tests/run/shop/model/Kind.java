package com.example.shop.model;

public enum Kind {
    FOOD,
    TOOL
}
