/**
 * Maps the events of a run to those that a chat visitor gets, each with the cursor from which a page can continue.
 * Per event: follow the cursor, note the names of the page's tools, leave out what the page has, map the rest. The answer is
 * stored before its end is sent. Steps, turns and reasoning are left out; arguments of calls that need an approval are shown
 * without credentials. The numbers of events follow from those of the run.
 * `open-turn.ts` and `follow-answer.ts` call it; `answer-end.ts`, `cursor.ts` and `page-names.ts` beside it are its parts.
 */
import { isDeeperThan } from '../../../core/json/nesting.ts';
import { isCredentialName, redactCredentials } from '../../../core/redaction/credentials.ts';
import { truncate } from '../../../core/text.ts';
import { pageToolType } from '../../../execution/tools/call-tool.ts';
import type { StreamEvent } from '../../run-events/stream-event.ts';
import { type AnswerInProgress, answerEnd, failureEvent } from './answer-end.ts';
import { type ClientEventBody as Body, ClientEvent } from './client-event.ts';
import {
  type Cursor,
  cursorText,
  eventsPerEvent,
  flowEndSeq,
  openCursors,
  openUnseenFilter,
} from './cursor.ts';
import { openPageNames, type PageNames, type PageRunTools } from './page-names.ts';

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
