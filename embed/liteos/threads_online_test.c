/* SPDX-License-Identifier: MIT */
/* Messages under threads and signals, through a ring that is emptied meanwhile, as our reader sees them. */
#include <rastrum/rastrum.h>

#define LOSCFG_RECORDER_MODE_ONLINE

#include "embed/liteos/stress.inc"

#include "embed/core/bytes.c"
#include "embed/liteos/trace_pipeline_ring.c"

static uint8_t ring_memory[4096], stream[16 << 20];
static struct rastrum_bytes ring;
static size_t n_stream;

/* The events that were read. */
static struct {
	uint64_t n_events, n_missing, next[N_SOURCES];
	bool is_whole;
} seen;

static void empty_ring(void)
{
	n_stream += rastrum_bytes_take(&ring, stream + n_stream, (uint32_t)(sizeof(stream) - n_stream));
}

static void see_row(const struct rst_batch *batch, size_t row)
{
	const struct rst_layout *layout = batch->layout[row];
	uint64_t v[3] = { N_SOURCES };

	for (unsigned i = 0; i < 3 && i < layout->n_fields; i++)
		v[i] = rst_field_number(&layout->fields[i], batch->payload[row], batch->payload_bytes[row]);
	seen.n_events++;
	if (v[0] >= N_SOURCES || v[1] < seen.next[v[0]] || v[2] != stress_proof(v[0], v[1]))
		seen.is_whole = false;
	else
		seen.next[v[0]] = v[1] + 1;
}

static void read_stream(void)
{
	const struct rst_open how = { .dialect = "liteos" };
	const struct rst_batch *batch;
	struct rst_trace *trace;

	seen.is_whole = rst_trace_open_bytes(&trace, stream, n_stream, "stream", &how, NULL) >= 0;
	while (seen.is_whole && rst_trace_next(trace, &batch, NULL) == RST_OK)
		for (size_t row = 0; row < batch->n_events; row++) {
			const struct rst_gap *gap = rst_batch_gap(batch, row);

			if (!gap) {
				if (batch->type[row]->id != SYS_START && batch->type[row]->id != SYS_STOP)
					see_row(batch, row);
				continue;
			}
			seen.is_whole &= gap->marker == RST_LOSS;
			seen.n_missing += gap->n_events;
		}
	rst_trace_free(trace);
}

int main(void)
{
	unsigned n_made;

	rastrum_bytes_init(&ring, ring_memory, sizeof(ring_memory));
	rastrum_liteos_pipe_to(&ring);
	LOS_TraceInit(NULL, 0);
	fixture_task = 1;
	LOS_TraceEventMaskSet(TRACE_MAX_FLAG);
	LOS_TraceStart();
	stress_run(empty_ring);
	empty_ring();
	/* One more behind those that were lost at the end, so that the reader sees that they are missing. */
	stress_record();
	LOS_TraceStop();
	empty_ring();
	n_made = stress_n_made();
	read_stream();
	ok(seen.is_whole, "every event that was sent is whole and in the order of its source");
	is_number(seen.n_events + rastrum_bytes_lost(&ring), n_made, "recorded = sent + lost");
	is_number(seen.n_missing, rastrum_bytes_lost(&ring), "and the reader misses as many");
	is_number(rastrum_liteos_lost(), 0, "none was too long");
	return tap_done();
}
