// An answer as its events tell it.

/** @type {Record<string, string>} */
const waits = {
  approval: 'The assistant waits until its owner allows what it wants to do.',
  decision: 'The assistant waits for your decision.',
  wait: 'The assistant has to wait before it goes on. Ask again later.',
  local_tool: 'The answer waits for something that this page cannot give.',
};

const connectionsMax = 6;
const pauseMs = 1_000;
/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The answer failed, and is not to be continued. */
class Failed extends Error {}

/** @typedef {{ isOver: boolean, isAsked: boolean, ending: string | undefined }} State */

/**
 * Shows the events of an answer. Continues a stream that breaks.
 * @param {{ first: () => Promise<import('./types.d.ts').Events>, after: (place: import('./types.d.ts').StreamPosition) => Promise<import('./types.d.ts').Events> }} source
 *   `first`: the first stream; `after(place)`: the stream after an event.
 * @param {import('./types.d.ts').Shown} shown
 * @param {import('./types.d.ts').Decided} decided Called with the event of a call that needs an approval, and the decision.
 * @returns what the answer waits for, unless it is whole.
 */
export async function showAnswer({ first, after }, shown, decided) {
  /** @type {import('./types.d.ts').StreamPosition} */
  const place = {};
  /** @type {State} */
  const state = { isOver: false, isAsked: false, ending: undefined };
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const event of await (attempt === 0 ? first() : after(place))) {
        attempt = Math.min(attempt, 1);
        place.executionId = event.executionId;
        place.after = event.streamId ?? place.after;
        show(event, state, shown, decided);
      }
    } catch (error) {
      const isFinal = error instanceof Failed || error.name === 'AbortError' || !place.executionId;
      if (isFinal || attempt >= connectionsMax || error.status > 0) throw error;
    }
    if (state.isOver) return finish(state, shown);
    if (!place.executionId || attempt >= connectionsMax) throw new Error('The connection broke. Try again.');
    await sleep(pauseMs * attempt);
  }
}

/**
 * @param {import('./types.d.ts').ChatEvent} event
 * @param {State} state
 * @param {import('./types.d.ts').Shown} shown
 * @param {import('./types.d.ts').Decided} decided
 */
function show(event, state, shown, decided) {
  switch (event.type) {
    case 'text_delta':
      return shown.write(event.id, event.delta);
    case 'tool_start':
      return shown.startTool(event.toolCallId, event.toolName);
    case 'tool_complete':
      return shown.endTool(event.toolCallId, event.success);
    case 'approval_start':
      state.isAsked = true;
      return shown.askAbout(event, (decision) => decided(event, decision));
    case 'execution_error':
      throw new Failed(event.error.message);
    case 'await':
      state.ending = waits[state.isAsked ? 'decision' : event.awaitReason];
      state.isOver = true;
      return;
    case 'execution_complete':
      state.isOver = true;
  }
}

/**
 * @param {State} state
 * @param {import('./types.d.ts').Shown} shown
 */
function finish({ ending }, shown) {
  if (ending) shown.note(ending);
  return ending;
}
