package com.example.graph.model;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.springframework.data.neo4j.core.schema.Id;
import org.springframework.data.neo4j.core.schema.Node;
import org.springframework.data.neo4j.core.schema.Property;
import org.springframework.data.neo4j.core.schema.Relationship;

@Node("Person")
public class Person {
    public enum Mood {
        CALM,
        WILD
    }

    @Id
    private int id;

    @Property("called")
    private String name;

    private Mood mood;
    private LocalDate born;
    private Instant seen;
    private byte[] picture;

    @Relationship("KNOWS")
    private List<Person> friends;

    public int getId() {
        return id;
    }

    public void setId(int id) {
        this.id = id;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public Mood getMood() {
        return mood;
    }

    public void setMood(Mood mood) {
        this.mood = mood;
    }

    public LocalDate getBorn() {
        return born;
    }

    public void setBorn(LocalDate born) {
        this.born = born;
    }

    public Instant getSeen() {
        return seen;
    }

    public void setSeen(Instant seen) {
        this.seen = seen;
    }

    public byte[] getPicture() {
        return picture;
    }

    public void setPicture(byte[] picture) {
        this.picture = picture;
    }

    public List<Person> getFriends() {
        return friends;
    }

    public void setFriends(List<Person> friends) {
        this.friends = friends;
    }
}
