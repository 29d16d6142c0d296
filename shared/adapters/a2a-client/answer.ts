/**
 * The answer of an A2A agent, put together from its messages, tasks and updates: text, artifacts, state.
 * Artifacts come in parts, and may be replaced or appended to after they were shown: a whole one is shown again unless its text is
 * the same or too much was shown again, and the end has all as they are last. Deltas of text are for readers; the end has the text.
 * The agent is a stranger, so their number and size have limits. `send.ts` feeds it.
 */
import type { Artifact, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { StepError } from '../../core/errors/step-error.ts';
import type { A2aArtifact, A2aEvent, A2aPart, A2aState } from '../ports/a2a-port.ts';
import { a2aParts, joinTextParts, textOfMessage } from './parts.ts';

const artifactsMax = 200;
/** Also of what is shown again because something was appended. */
const partsMax = 100_000;
const charactersMax = 4_000_000;

interface Received extends A2aArtifact {
  text: string;
  /** Whether it was shown: what is appended later shows all of it again. */
  wasShown: boolean;
}

class Artifacts {
  readonly #byId = new Map<string, Received>();
  readonly #received = { parts: 0, characters: 0 };
  readonly #shownAgain = { parts: 0, characters: 0 };
  #last: string | undefined;

  texts = (): string[] => [...this.#byId.values()].map(({ text }) => text).filter((text) => text !== '');

  all = (): A2aArtifact[] =>
    [...this.#byId.values()].map(({ text: _text, wasShown: _wasShown, ...artifact }) => artifact);

  *add(
    { artifactId, name, description, parts }: Artifact,
    { append, isWhole }: { append: boolean; isWhole: boolean },
  ): Generator<A2aEvent> {
    const received = a2aParts(parts);
    const text = joinTextParts(received);
    const before = this.#byId.get(artifactId);
    const isMore = append && before;
    const isKnown = !append && before !== undefined && before.text === text;
    const after = isMore
      ? { ...before, text: before.text + text }
      : { id: artifactId, name, description, text, parts: received, wasShown: false };
    if (isMore) for (const part of received) before.parts.push(part);
    this.#byId.set(artifactId, after);
    // Each poll of a task repeats its artifacts.
    if (!isKnown) this.#count(received, text);
    yield* this.#delta(artifactId, before, isMore ? text : getAddedText(before?.text ?? '', text));
    if (isWhole && !isKnown) yield* this.#show(after);
  }

  /** One that grows a lot is not shown each time, because all of it would be sent each time: the end has it. */
  *#show(received: Received): Generator<A2aEvent> {
    const { text, wasShown, ...artifact } = received;
    if (wasShown && isTooMuch(add(this.#shownAgain, artifact.parts, text))) return;
    received.wasShown = true;
    yield { type: 'artifact', artifact: { ...artifact, parts: [...artifact.parts] } };
  }

  *#delta(id: string, before: Received | undefined, more: string): Generator<A2aEvent> {
    const isNew = this.#last !== undefined && this.#last !== id;
    if (more === '' || (isNew && before && before.text !== '')) return;
    this.#last = id;
    yield { type: 'text-delta', text: isNew ? `\n\n${more}` : more };
  }

  #count(parts: readonly A2aPart[], text: string): void {
    const isOver = isTooMuch(add(this.#received, parts, text));
    if (!isOver && this.#byId.size <= artifactsMax) return;
    throw new StepError(
      `The agent answers with more than ${artifactsMax} artifacts, ${partsMax} parts or ${charactersMax} characters`,
    );
  }
}

interface Size {
  parts: number;
  characters: number;
}

function add(size: Size, parts: readonly A2aPart[], text: string): Size {
  size.parts += parts.length;
  size.characters += text.length;
  return size;
}

const isTooMuch = ({ parts, characters }: Size) => parts > partsMax || characters > charactersMax;

/** Text that replaces other text cannot be a delta: only the end has it. */
const getAddedText = (before: string, after: string) =>
  after.startsWith(before) ? after.slice(before.length) : '';

/** By their numbers in the protocol. */
const states: readonly (A2aState | undefined)[] = [
  undefined,
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
] as (A2aState | undefined)[];

/** What an agent has answered so far: its task, or a message without a task. */
export class A2aAnswer {
  taskId: string | undefined;
  #contextId: string | undefined;
  #state: A2aState = 'submitted';
  /** Of the last status, or of the message. */
  #said = '';
  readonly #artifacts = new Artifacts();

  /** Whether the agent does not go on by itself. */
  get isOver(): boolean {
    return this.#state !== 'submitted' && this.#state !== 'working';
  }

  /** Whether it is done, and said nothing. */
  get isEmpty(): boolean {
    return this.#state === 'completed' && this.#said === '' && this.#artifacts.all().length === 0;
  }

  *add({ payload }: StreamResponse): Generator<A2aEvent> {
    switch (payload?.$case) {
      case 'message':
        this.#note(payload.value);
        this.#state = 'completed';
        this.#said = textOfMessage(payload.value);
        return;
      case 'task':
        yield* this.addTask(payload.value);
        return;
      case 'statusUpdate':
        this.#note(payload.value);
        yield* this.#status(payload.value.status);
        return;
      case 'artifactUpdate': {
        const { artifact, append, lastChunk } = payload.value;
        this.#note(payload.value);
        if (artifact) yield* this.#artifacts.add(artifact, { append, isWhole: lastChunk });
        return;
      }
      default:
        throw new StepError('The agent does not follow the A2A protocol');
    }
  }

  *addTask(task: Task): Generator<A2aEvent> {
    this.#note({ taskId: task.id, contextId: task.contextId });
    for (const artifact of task.artifacts)
      yield* this.#artifacts.add(artifact, { append: false, isWhole: true });
    yield* this.#status(task.status);
  }

  *end(): Generator<A2aEvent> {
    const written = this.#artifacts.texts();
    if (written.length === 0 && this.#said !== '') yield { type: 'text-delta', text: this.#said };
    yield {
      type: 'end',
      state: this.#state,
      text: written.join('\n\n') || this.#said,
      artifacts: this.#artifacts.all(),
      contextId: this.#contextId,
      taskId: this.taskId,
    };
  }

  #note({ taskId, contextId }: { taskId: string; contextId: string }): void {
    this.taskId ||= taskId || undefined;
    this.#contextId ||= contextId || undefined;
  }

  *#status(status: TaskStatus | undefined): Generator<A2aEvent> {
    const state = states[status?.state ?? 0];
    if (!state) return;
    const text = textOfMessage(status?.message);
    const isNews = state !== this.#state || (text !== '' && text !== this.#said);
    this.#state = state;
    this.#said = text;
    if (isNews) yield { type: 'status', state, text };
  }
}
