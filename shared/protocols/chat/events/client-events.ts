/**
 * Maps the events of a run to those that a chat visitor gets, each with the cursor from which a page can continue.
 * Per event: follow the cursor, note the names of the page's tools, leave out what the page has, map the rest. The
 * answer is stored before its end is sent, and an answer that is not stored is counted. Steps, turns and reasoning are
 * left out; arguments of calls that need an approval are shown without credentials.
 * The numbers of events follow from those of the run, so a second stream of the same run has the same numbers.
 * `open-turn.ts` and `follow-answer.ts` call it with what stores the answer; `readClientResult` gathers the same events
 * for callers that want no stream. Cursors are in `cursor.ts`.
 */
import * as z from 'zod';
import { parseCost, type Spending } from '../../../adapters/ports/spending.ts';
import { isDeeperThan } from '../../../core/json/nesting.ts';
import { isCredentialName, redactCredentials } from '../../../core/redaction/credentials.ts';
import { truncate } from '../../../core/text.ts';
import type { ClientToken } from '../../../domain/client-tokens/client-token.ts';
import type { ClientTool } from '../../../execution/agent-runs/agent-input.ts';
import { pageToolType } from '../../../execution/tools/call-tool.ts';
import { toToolName } from '../../../execution/tools/tool-name.ts';
import { sendEvents } from '../../../platform/http/responses/server-sent-events.ts';
import { parseTokenCounts } from '../../json/token-counts.ts';
import type { StreamEvent } from '../../run-events/stream-event.ts';
import { type ClientEventBody as Body, ClientEvent } from './client-event.ts';
import {
  type Cursor,
  cursorText,
  eventsPerEvent,
  flowEndSeq,
  openCursors,
  openUnseenFilter,
} from './cursor.ts';

export interface VisitorView {
  brought: PageRunTools;
  showsApprovals: boolean;
  /** Only what comes after it. */
  after?: Cursor | undefined;
}

export interface ClientSentEvent {
  event: ClientEvent;
  /** What a page that lost the connection sends. */
  id: string;
}

export async function* clientEvents(
  events: AsyncIterable<StreamEvent>,
  answer: AnswerInProgress,
  view: VisitorView,
): AsyncGenerator<ClientSentEvent, void> {
  const texts: string[] = [];
  const names = openPageNames(view.brought);
  const withStart = openToolStarts();
  const cursorAfter = openCursors();
  const unseen = openUnseenFilter(view.after);
  let last = view.after?.seq ?? -1;
  for await (const event of events) {
    const { executionId } = event;
    const cursor = cursorAfter(event);
    if (event.type === 'text_complete') texts.push(event.text.trim());
    names.note(event);
    for (const shown of unseen(event)) {
      const bodies = withStart(await toBodies(shown, { texts, answer, names, view }));
      for (const [index, body] of bodies.entries()) {
        const before = bodies.length - 1 - index;
        const place = (isEndOfFlow(shown) ? flowEndSeq : shown.seq * eventsPerEvent) - before;
        // Pings have the number of the event before them, and a turn that is given again has its numbers again.
        last = Math.max(place, last + 1);
        yield {
          event: ClientEvent.parse({ ...body, executionId, seq: last }),
          id: cursorText(before === 0 ? { ...cursor, seq: place } : { seq: place }),
        };
      }
    }
  }
}

async function toBodies(event: StreamEvent, { texts, answer, names, view }: Told): Promise<Body[]> {
  switch (event.type) {
    case 'execution_start':
    case 'text_start':
    case 'text_delta':
    case 'text_complete':
    case 'approval_complete':
    case 'ping':
      return [event];
    case 'tool_start':
      return [
        { ...event, ...names.nameCall(event.toolCallId, event.toolName), toolType: toShownType(event) },
      ];
    case 'tool_complete':
      return [{ ...event, ...names.nameCall(event.toolCallId, event.toolName) }];
    case 'approval_start':
      return view.showsApprovals ? [{ ...event, parameters: redactParameters(event.parameters) }] : [];
    case 'await':
      return [toAwait(event, names)];
    case 'execution_error':
      return [failureEvent(event.kind, answer.isInterrupted() ? 'INTERRUPTED' : toErrorCode(event))];
    case 'execution_complete':
      return answerEnd(event, texts, answer);
    default:
      return [];
  }
}

interface Told {
  texts: readonly string[];
  answer: AnswerInProgress;
  names: PageNames;
  view: VisitorView;
}

const isEndOfFlow = (event: StreamEvent) =>
  (event.type === 'execution_complete' || event.type === 'execution_error') && event.kind === 'flow';

/** Pages know the types of the tenant's tools only. */
const toShownType = ({ toolType }: EventOf<'tool_start'>) => (toolType === pageToolType ? 'local' : toolType);

/** The widget knows only the calls whose start came in the same stream. */
function openToolStarts(): (bodies: Body[]) => Body[] {
  const started = new Set<string>();
  return ([first, ...more]) => {
    if (first?.type === 'tool_start') started.add(first.toolCallId);
    if (first?.type !== 'tool_complete' || started.has(first.toolCallId))
      return first ? [first, ...more] : [];
    const { toolCallId, toolName, origin, pageOrigin } = first;
    return [{ type: 'tool_start', toolCallId, toolName, origin, pageOrigin }, first];
  };
}

type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

const toErrorCode = ({ error }: EventOf<'execution_error'>) =>
  error.code === 'INTERNAL' ? 'FAILED' : error.code;

/** The widget executes the tool of each `await` that names one. */
function toAwait(
  { awaitReason, awaitedAt, toolCallId, toolName, parameters }: EventOf<'await'>,
  names: PageNames,
): Body {
  const waits = { type: 'await' as const, awaitReason, awaitedAt };
  if (awaitReason !== 'local_tool' || toolName === undefined) return waits;
  return { ...waits, toolCallId, ...names.nameCall(toolCallId ?? '', toolName), parameters };
}

const levelsMax = 8;
const charactersMax = 20_000;
const textMax = 2_000;
const redacted = '[redacted]';

/** What a visitor sees of the arguments of a call that needs an approval: no credentials, and no more than fits a page. */
function redactParameters(parameters: unknown): unknown {
  if (isDeeperThan(levelsMax, parameters)) return '[too deep]';
  const shown = redactMembers(parameters);
  return (JSON.stringify(shown)?.length ?? 0) > charactersMax ? '[too long]' : shown;
}

function redactMembers(value: unknown): unknown {
  if (typeof value === 'string') return truncate(redactCredentials(value), textMax);
  if (Array.isArray(value)) return value.map(redactMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isCredentialName(name) ? redacted : redactMembers(member),
    ]),
  );
}

const messages = {
  FAILED: 'The answer failed. Send the message again later',
  TIMEOUT: 'The answer took too long. Ask for less at once',
  INTERRUPTED: 'Another message interrupted the answer',
  CANCELLED: 'The owner of this chat ended the answer',
} as const;

/** The reason of a run that a later message ended. */
export const interruption = messages.INTERRUPTED;

interface AnswerInProgress {
  /** Stores the answer, before the visitor learns that it is complete. @returns false if the turn was interrupted. */
  store: (answer: string, used: Spending) => Promise<boolean>;
  /** Counts what an answer used that is not stored. */
  count: (used: Spending) => Promise<void>;
  isInterrupted: () => boolean;
}

type Complete = Extract<StreamEvent, { type: 'execution_complete' }>;

/** The end of an answer, stored before the visitor learns of it. */
async function answerEnd(
  event: Complete,
  texts: readonly string[],
  answer: AnswerInProgress,
): Promise<Body[]> {
  const { finalOutput, kind, success, totalTokens, totalCost } = event;
  const used = { ...parseTokenCounts(totalTokens), ...parseCost(totalCost) };
  if (!success) {
    await answer.count(used);
    return [failureEvent(kind, answer.isInterrupted() ? 'INTERRUPTED' : toFailureCode(event))];
  }
  const text = answerText(finalOutput);
  if (!(await answer.store(text, used))) return [failureEvent(kind, 'INTERRUPTED')];
  const isUnseen = text !== '' && !wasShown(finalOutput, texts);
  return [...(isUnseen ? toTextEvents(text) : []), { ...event, finalOutput: text }];
}

/** Readers that do not have the turn learn from the run itself who ended it. */
function toFailureCode({ stopReason, error }: Complete): keyof typeof messages {
  if (error === interruption) return 'INTERRUPTED';
  if (stopReason === 'timeout') return 'TIMEOUT';
  return stopReason === 'cancelled' ? 'CANCELLED' : 'FAILED';
}

export const failureEvent = (kind: 'flow' | 'agent', code: keyof typeof messages): Body => ({
  type: 'execution_error',
  kind,
  error: { code, message: messages[code] },
});

export const answerText = (output: unknown): string =>
  typeof output === 'string' ? output : output == null ? '' : JSON.stringify(output);

/** A structured output was streamed as another text. */
const wasShown = (output: unknown, texts: readonly string[]) =>
  typeof output === 'string' ? texts.includes(output.trim()) : texts.length > 0;

/** The texts of an answer that no step streamed. */
export function toTextEvents(text: string): Body[] {
  const id = 'answer';
  return [
    { type: 'text_start', id, role: 'assistant' },
    { type: 'text_delta', id, delta: text },
    { type: 'text_complete', id, text },
  ];
}

/** The events of an answer that say how it ended, for callers that want no stream. */
export const ClientResult = z
  .object({
    executionId: z.string(),
    success: z.boolean(),
    result: z.string().nullable().meta({ description: 'The answer; null without one' }),
    events: z.array(ClientEvent).meta({ description: 'What the answer waits for, or its end' }),
  })
  .meta({
    id: 'ClientResult',
    examples: [
      {
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        success: true,
        result: 'Yes',
        events: [],
      },
    ],
  });

const shown = new Set<ClientEvent['type']>([
  'approval_start',
  'await',
  'execution_complete',
  'execution_error',
]);

export async function readClientResult(
  executionId: string,
  events: AsyncIterable<ClientSentEvent>,
): Promise<z.infer<typeof ClientResult>> {
  const last: ClientEvent[] = [];
  for await (const { event } of events) if (shown.has(event.type)) last.push(event);
  const end = last.find((event) => event.type === 'execution_complete');
  return { executionId, success: end !== undefined, result: end?.finalOutput ?? null, events: last };
}

/** The tools that a page brought to a run, and the calls of them in its earlier streams. */
interface PageRunTools {
  tools: readonly ClientTool[] | undefined;
  calls?: readonly string[];
}

/** Names calls as the page does. If the run left out a tool of the page, calls of that name are of the agent's own tool. */
function openPageNames({ tools = [], calls = [] }: PageRunTools) {
  const pages = new Map(tools.flatMap(({ name, page }) => (page ? [[toToolName(name), page] as const] : [])));
  const ofPage = new Set(calls);
  return {
    /** Call it with every event, also those that the page does not get. */
    note(event: StreamEvent): void {
      if (event.type === 'tool_start' && event.toolType === pageToolType) ofPage.add(event.toolCallId);
    },
    nameCall(toolCallId: string, toolName: string) {
      const page = ofPage.has(toolCallId) ? pages.get(toolName) : undefined;
      const { name = toolName, origin, pageOrigin } = page ?? {};
      return { toolName: name, ...(origin && { origin }), ...(pageOrigin && { pageOrigin }) };
    },
  };
}
type PageNames = ReturnType<typeof openPageNames>;

/** Whether the visitors of a token decide the calls that need an approval. */
export const visitorsApprove = ({ config }: Pick<ClientToken, 'config'>) => config.approvals === true;

export const chatView = (token: ClientToken, brought: PageRunTools): VisitorView => ({
  brought,
  showsApprovals: visitorsApprove(token),
});

/** Responds with the events of a chat. The `id` of each says where to continue. */
export const sendClientEvents = (eventsFor: (pageGone: AbortSignal) => AsyncIterable<ClientSentEvent>) =>
  sendEvents(eventsFor, ({ event, id }) => ({ event: event.type, id, data: event }));
