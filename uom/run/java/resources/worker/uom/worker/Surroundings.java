package uom.worker;

import java.beans.Introspector;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ResourceBundle;
import java.util.TimeZone;

/** What bundles share, put back after each: properties, time zone, locale, and caches that would keep their classes. */
final class Surroundings {
    /** Public static methods without arguments. */
    private static final List<String> CLEARED = List.of(
            "org.springframework.util.ReflectionUtils.clearCache",
            "org.springframework.core.annotation.AnnotationUtils.clearCache",
            "org.springframework.core.ResolvableType.clearCache");

    /** Private static caches of Spring Data without a way to clear them: all ConcurrentLruCaches and maps. */
    private static final List<String> HIDDEN = List.of(
            "org.springframework.data.core.ClassTypeInformation",
            "org.springframework.data.core.TypeDiscoverer",
            "org.springframework.data.core.ReactiveWrappers",
            "org.springframework.data.core.NullableWrapperConverters",
            "org.springframework.data.util.ProxyUtils",
            "org.springframework.data.neo4j.core.mapping.AssociationHandlerSupport",
            "org.springframework.data.neo4j.core.mapping.PropertyHandlerSupport");

    private final Properties properties = (Properties) System.getProperties().clone();

    void restore(ClassLoader bundle) {
        System.setProperties((Properties) properties.clone());
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        Locale.setDefault(Locale.ROOT);
        Thread.setDefaultUncaughtExceptionHandler(null);
        ResourceBundle.clearCache(bundle);
        Introspector.flushCaches();
        CLEARED.forEach(Surroundings::call);
        HIDDEN.forEach(Surroundings::clearHidden);
        clearInstantiators();
        clearIntrospection(bundle);
    }

    private static void call(String method) {
        try {
            int dot = method.lastIndexOf('.');
            Class.forName(method.substring(0, dot)).getMethod(method.substring(dot + 1)).invoke(null);
        } catch (ReflectiveOperationException otherVersion) {
            // Then bundles stay in memory a little longer; the worker is replaced after some hundred anyway.
        }
    }

    private static void clearIntrospection(ClassLoader bundle) {
        try {
            Class.forName("org.springframework.beans.CachedIntrospectionResults")
                    .getMethod("clearClassLoader", ClassLoader.class)
                    .invoke(null, bundle);
        } catch (ReflectiveOperationException otherVersion) {
            // as above
        }
    }

    /** Spring Data Neo4j keeps the makers of all entities in one static place. */
    private static void clearInstantiators() {
        try {
            Object all = field(Class.forName("org.springframework.data.neo4j.core.mapping.Neo4jMappingContext"), "INSTANTIATORS")
                    .get(null);
            Object generated = field(all.getClass(), "fallback").get(all);
            field(generated.getClass(), "entityInstantiators").set(generated, new HashMap<>());
        } catch (ReflectiveOperationException | RuntimeException otherVersion) {
            // as above
        }
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    private static void clearHidden(String type) {
        try {
            for (Field field : Class.forName(type).getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) {
                    continue;
                }
                field.setAccessible(true);
                Object value = field.get(null);
                if (value instanceof Map<?, ?> map) {
                    map.clear();
                } else if (value != null && value.getClass().getSimpleName().equals("ConcurrentLruCache")) {
                    Method clear = value.getClass().getMethod("clear");
                    clear.invoke(value);
                }
            }
        } catch (ReflectiveOperationException | RuntimeException otherVersion) {
            // as above
        }
    }
}
