package uom.worker;

import java.beans.Introspector;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
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

    /** Private static caches of Spring Data without a way to clear them: all fields of type ConcurrentLruCache. */
    private static final List<String> HIDDEN = List.of(
            "org.springframework.data.core.ClassTypeInformation", "org.springframework.data.core.TypeDiscoverer");

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

    private static void clearHidden(String type) {
        try {
            for (Field field : Class.forName(type).getDeclaredFields()) {
                if (field.getType().getSimpleName().equals("ConcurrentLruCache")) {
                    field.setAccessible(true);
                    Object cache = field.get(null);
                    Method clear = cache.getClass().getMethod("clear");
                    clear.invoke(cache);
                }
            }
        } catch (ReflectiveOperationException | RuntimeException otherVersion) {
            // as above
        }
    }
}
