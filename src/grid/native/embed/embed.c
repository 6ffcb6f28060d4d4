/* embed.c: writes files as C strings: embed OUT NAME FILE [NAME FILE ...]. Build time. */
#include <stdio.h>

static int put_file(FILE *out, const char *name, const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return 1;
    fprintf(out, "const char %s[] =\n    \"", name);
    for (int c; (c = getc(in)) != EOF;) {
        if (c == '\n')
            fputs("\\n\"\n    \"", out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else
            putc(c, out);
    }
    fputs("\";\n", out);
    fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!out)
        return 1;
    fputs("/* written by embed.c */\n", out);
    for (int i = 2; i + 1 < argc; i += 2)
        fprintf(out, "extern const char %s[];\n", argv[i]);
    for (int i = 2; i + 1 < argc; i += 2)
        if (put_file(out, argv[i], argv[i + 1])) {
            fprintf(stderr, "embed: cannot read %s\n", argv[i + 1]);
            fclose(out);
            return 1;
        }
    return fclose(out) != 0;
}
