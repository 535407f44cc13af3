/* A reader of JSON for network.json: values in a tree, which lives as long as the program. It takes no broken
   text: it ends the program with a message. Escapes of strings are kept as they are written. */
#ifndef JSON_H
#define JSON_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Json {
    char kind;          /* one of { [ " 0 (a number or a word) */
    char *name;         /* of a member of an object */
    char *text;         /* of a string */
    double number;
    struct Json *first; /* of the members of an object or an array */
    struct Json *next;
} Json;

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "%s%s%s\n", what, *detail ? ": " : "", detail);
    exit(1);
}

static void *allocate(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory) fail("out of memory", "");
    return memory;
}

static const char *json_space(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

static const char *json_string(const char *at, char **text) {
    const char *begin = ++at;
    while (*at && *at != '"') at += (*at == '\\' && at[1]) ? 2 : 1;
    if (!*at) fail("JSON", "a string does not end");
    *text = allocate((size_t)(at - begin) + 1);
    memcpy(*text, begin, (size_t)(at - begin));
    return at + 1;
}

static const char *json_value(const char *at, Json *value) {
    at = json_space(at);
    if (*at == '"') {
        value->kind = '"';
        return json_string(at, &value->text);
    }
    if (*at == '{' || *at == '[') {
        char end = *at == '{' ? '}' : ']';
        Json **place = &value->first;
        value->kind = *at;
        at = json_space(at + 1);
        while (*at != end) {
            Json *member = *place = allocate(sizeof *member);
            place = &member->next;
            if (end == '}') {
                if (*at != '"') fail("JSON", "a member has no name");
                at = json_space(json_string(at, &member->name));
                if (*at++ != ':') fail("JSON", "a member has no value");
            }
            at = json_space(json_value(at, member));
            if (*at == ',') at = json_space(at + 1);
            else if (*at != end) fail("JSON", "a list does not end");
        }
        return at + 1;
    }
    value->kind = '0';
    if (isalpha((unsigned char)*at)) {
        value->number = *at == 't';
        while (isalpha((unsigned char)*at)) at++;
        return at;
    }
    char *end;
    value->number = strtod(at, &end);
    if (end == at) fail("JSON", "a value is missing");
    return end;
}

/* The member of an object by its name; null where it has none. */
static const Json *json_find(const Json *object, const char *name) {
    const Json *member = object->first;
    while (member && !(member->name && strcmp(member->name, name) == 0)) member = member->next;
    return member;
}

static const Json *json_get(const Json *object, const char *name) {
    const Json *member = json_find(object, name);
    if (!member) fail("network.json lacks", name);
    return member;
}

static const char *json_text(const Json *object, const char *name) {
    const Json *member = json_get(object, name);
    if (member->kind != '"') fail("network.json has no text for", name);
    return member->text;
}

static size_t json_size(const Json *object, const char *name) {
    return (size_t)json_get(object, name)->number;
}

static size_t json_count(const Json *list) {
    size_t count = 0;
    for (const Json *item = list->first; item; item = item->next) count++;
    return count;
}

#endif
