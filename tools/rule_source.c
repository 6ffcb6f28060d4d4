/* rule_source.c: see rule_source.h.
 *
 * Rules are static functions, so their names are in the program's .symtab only, behind the
 * name of their file. */
#include "rule_source.h"

#include "support/file.h"
#include "support/strbuf.h"

#include <stdlib.h>
#include <string.h>

const rule_source *pass_source_of(const char *pass)
{
    for (const rule_source *r = pass_sources; r->name; r++)
        if (strcmp(r->name, pass) == 0)
            return r;
    return NULL;
}

#ifdef __linux__

#include <elf.h>
#include <link.h>

static bool is_inside(const tw_strbuf *file, uint64_t at, uint64_t size)
{
    return at <= file->size && size <= file->size - at;
}

/* The base that the program is loaded at: 0 without position independence. */
static int note_base(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_addr;
    return 1; /* the first one is the program */
}

/* The name of the function at the address, and the file that it is in. */
static bool find_symbol(const tw_strbuf *elf, uint64_t address, const char **name,
                        const char **file)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->data;
    if (elf->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 ||
        !is_inside(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(elf->data + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum ||
            !is_inside(elf, s->sh_offset, s->sh_size))
            continue;
        const Elf64_Shdr *names = &sections[s->sh_link];
        if (!is_inside(elf, names->sh_offset, names->sh_size))
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(elf->data + s->sh_offset);
        *file = "";
        for (size_t k = 0; k < s->sh_size / sizeof *symbols; k++) {
            if (symbols[k].st_name >= names->sh_size)
                continue;
            const char *text = elf->data + names->sh_offset + symbols[k].st_name;
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FILE)
                *file = text;
            else if (symbols[k].st_value == address &&
                     ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC) {
                *name = text;
                if (ELF64_ST_BIND(symbols[k].st_info) != STB_LOCAL)
                    *file = "";
                return true;
            }
        }
    }
    return false;
}

const rule_source *rule_source_of(void (*rule)(void))
{
    tw_strbuf elf = {0};
    uint64_t base = 0, address = 0;
    const char *name, *file;
    const rule_source *found = NULL;
    memcpy(&address, &rule, sizeof rule);
    dl_iterate_phdr(note_base, &base);
    tw_status status = tw_file_read("/proc/self/exe", &elf);
    if (status == TW_SUCCESS && find_symbol(&elf, address - base, &name, &file))
        for (const rule_source *r = rule_sources; r->name && !found; r++) {
            const char *slash = strrchr(r->file, '/');
            if (strcmp(r->name, name) == 0 &&
                (!*file || strcmp(slash ? slash + 1 : r->file, file) == 0))
                found = r;
        }
    tw_status_free(status);
    tw_strbuf_free(&elf);
    return found;
}

#else

const rule_source *rule_source_of(void (*rule)(void))
{
    (void)rule;
    return NULL;
}

#endif
