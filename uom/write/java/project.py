"""The project file that all targets share."""

from __future__ import annotations

from collections.abc import Sequence

from uom.model.diagnostics import Diagnostic

BOOT = "4.1.2"
COMPILER_PLUGIN = "3.15.0"
EXEC_PLUGIN = "3.6.3"
"""Pinned: the versions that older Mavens bring along do not know `maven.compiler.release`."""


def pom(package: str, java: int, dependencies: Sequence[tuple[str, str]]) -> str:
    """A Maven project with these (group, artifact) pairs, whose versions Spring Boot's list has."""
    listed = "\n".join(_dependency(group, artifact) for group, artifact in dependencies)
    artifact = package.rpartition(".")[2]
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{package}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>1.0.0-SNAPSHOT</version>
  <packaging>jar</packaging>

  <properties>
    <maven.compiler.release>{java}</maven.compiler.release>
    <maven.compiler.parameters>true</maven.compiler.parameters>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    <exec.cleanupDaemonThreads>false</exec.cleanupDaemonThreads>
  </properties>

  <dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>org.springframework.boot</groupId>
        <artifactId>spring-boot-dependencies</artifactId>
        <version>{BOOT}</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>

  <dependencies>
{listed}
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <scope>runtime</scope>
    </dependency>
  </dependencies>

  <build>
    <pluginManagement>
      <plugins>
        <plugin>
          <groupId>org.apache.maven.plugins</groupId>
          <artifactId>maven-compiler-plugin</artifactId>
          <version>{COMPILER_PLUGIN}</version>
        </plugin>
        <plugin>
          <groupId>org.codehaus.mojo</groupId>
          <artifactId>exec-maven-plugin</artifactId>
          <version>{EXEC_PLUGIN}</version>
        </plugin>
      </plugins>
    </pluginManagement>
  </build>
</project>
"""


def _dependency(group: str, artifact: str) -> str:
    return f"""\
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
    </dependency>"""


def why(diagnostic: Diagnostic) -> str:
    """One line for a README."""
    text = f"{diagnostic.construct}: {diagnostic.reason}."
    return f"{text} {diagnostic.remedy}".rstrip()
