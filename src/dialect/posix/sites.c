/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses of calls. Each address gets a name once for each process, as an object of the model
 * that belongs to the process. It gets another name when the memory of the process changes.
 */
#include <string.h>

#include "base/text.h"
#include "dialect/posix/posix.h"

enum { NAME_ROOM = 640, CHAIN_MAX = 32 };

static bool warn_modules(struct posix *posix, struct model *model)
{
	if (posix->has_passed_modules)
		return true;
	posix->has_passed_modules = true;
	return model_warn(
		model, "only the first %d modules are looked at for names of addresses", SYMBOL_MODULES_MAX);
}

bool posix_module(struct posix *posix, struct model *model, const uint8_t *body, size_t n_bytes)
{
	enum { HEAD = sizeof(struct log_module) };
	struct log_module block;
	struct symbol_module module;
	bool has_id;

	if (n_bytes < HEAD)
		return true;
	memcpy(&block, body, HEAD);
	if (!block.length || block.length > n_bytes - HEAD || block.length > SYMBOL_PATH_MAX)
		return true;
	if (symbol_memory_is_full(&posix->memory))
		return warn_modules(posix, model);
	has_id = block.n_build_id <= sizeof(block.build_id);
	module = (struct symbol_module){ .since = posix->n_blocks,
		.address = block.address,
		.size = block.size,
		.file_offset = block.file_offset,
		.pid = block.pid,
		.path = arena_copy(&model->arena, (const char *)body + HEAD,
			strnlen((const char *)body + HEAD, block.length)),
		.n_build_id = (uint8_t)(has_id ? block.n_build_id : 0) };
	memcpy(module.build_id, block.build_id, sizeof(module.build_id));
	return module.path && symbol_memory_add(&posix->memory, &module);
}

/*
 * Writes the name of the address to clean, which has NAME_ROOM bytes. The first time, it also counts the site
 * and finds its line.
 */
static void find_name(struct posix *posix, struct posix_site *site, char *clean)
{
	const bool is_first = posix->memory.given && !site->name;
	bool is_named = false;
	struct symbol_module *module =
		symbol_memory_find(&posix->memory, site->pid, site->address, posix->n_blocks);
	char name[NAME_ROOM / 4];

	*clean = '\0';
	if (module) {
		is_named = symbol_memory_name(&posix->memory, module, site->address, name, sizeof(name),
			is_first ? &site->source : NULL);
	}
	if (!is_named && posix->memory.given)
		is_named = symbol_names_listed(posix->memory.given, site->address, name, sizeof(name));
	if (module || is_named)
		*text_clean(clean, (const uint8_t *)name, strlen(name)) = '\0';
	if (is_first)
		symbol_names_count(posix->memory.given, is_named);
}

/* Called when memory has changed since; usually the name has not. */
static bool name_site(struct posix *posix, struct model *model, struct posix_site *site)
{
	char name[NAME_ROOM];

	site->generation = posix->generation;
	find_name(posix, site, name);
	if (site->name && strcmp(site->name, name) == 0)
		return true;
	posix->n_name_bytes += strlen(name);
	if (posix->n_name_bytes > POSIX_SITE_BYTES) {
		site->name = "";
		return true;
	}
	char *own = arena_alloc(&model->arena, strlen(name) + 1 + TEXT_SHORT);

	site->name = own ? strcpy(own, name) : NULL;
	return own != NULL;
}

static struct posix_site *site_new(
	struct posix *posix, struct model *model, uint64_t key, uint32_t pid, uint64_t address)
{
	struct posix_site *site = arena_alloc(&model->arena, sizeof(*site));

	if (!site)
		return NULL;
	site->address = address;
	site->pid = pid;
	site->next = map_find(&posix->sites, key);
	if (!name_site(posix, model, site) || !map_set(&posix->sites, key, site))
		return NULL;
	posix->n_sites++;
	return site;
}

/*
 * Gives the address this name in its process from this event on. If the name is empty, the address is shown
 * in hexadecimal.
 */
static bool give_name(struct posix *posix, struct model *model, const struct posix_site *site)
{
	const struct rst_object *before =
		objects_latest(&model->objects, site->pid, site->address, RST_OBJECT_FUNCTION);
	struct rst_object *object;

	if (before ? strcmp(before->name, site->name) == 0 : !*site->name)
		return true;
	object = objects_add(&model->objects, &model->arena, site->pid, site->address, RST_OBJECT_FUNCTION,
		before ? posix->seq : 0);
	if (!object)
		return false;
	object->name = site->name; /* clean, and in the arena */
	object->name_bytes = strlen(site->name);
	object->n_details = site->source != NULL;
	object->details = site->source;
	return true;
}

/* The site of an address with its present name. Sets *ret_site to NULL if no more are kept. */
static bool site_reach(struct posix *posix, struct model *model, uint32_t pid, uint64_t address,
	struct posix_site **ret_site)
{
	uint64_t key = address ^ (uint64_t)pid << 32 ^ pid;
	struct posix_site *site = map_find(&posix->sites, key);
	unsigned n = 0;

	*ret_site = NULL;
	for (; site && (site->address != address || site->pid != pid); site = site->next)
		if (++n == CHAIN_MAX)
			return true;
	if (!site && posix->n_sites == POSIX_SITES_MAX)
		return true;
	if (!site)
		site = site_new(posix, model, key, pid, address);
	if (posix->memory.n_steps >= SYMBOL_STEPS_MAX && !posix->has_passed_steps) {
		posix->has_passed_steps = true;
		if (!model_warn(model, "the log tells so much of memory that later addresses have no names"))
			return false;
	}
	if (!site || (site->generation != posix->generation && !name_site(posix, model, site)))
		return false;
	*ret_site = site;
	return true;
}

bool posix_site_slow(struct posix *posix, struct model *model, uint32_t pid, uint64_t address)
{
	struct posix_site *site;

	if (!site_reach(posix, model, pid, address, &site))
		return false;
	if (!site)
		return true;
	posix->recent[posix_site_slot(pid, address)] = site;
	return give_name(posix, model, site);
}

bool posix_data_name(
	struct posix *posix, struct model *model, uint32_t pid, uint64_t address, const char **ret_name)
{
	struct posix_nameless *nameless =
		&posix->nameless[((address ^ (uint64_t)pid << 20) * 0x9e3779b97f4a7c15U) >> 54];
	struct posix_site *site;

	*ret_name = NULL;
	if (nameless->address == address && nameless->pid == pid && nameless->generation == posix->generation)
		return true;
	if (!symbol_memory_find(&posix->memory, pid, address, posix->n_blocks)) {
		*nameless = (struct posix_nameless){ address, posix->generation, pid };
		return true;
	}
	if (!site_reach(posix, model, pid, address, &site))
		return false;
	if (site && *site->name)
		*ret_name = site->name;
	return true;
}
