import type { Artifact, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { StepError } from '../../core/step-error.ts';
import type { A2aArtifact, A2aEvent, A2aState } from '../ports.ts';
import { partsOf, textOf, textOfMessage } from './parts.ts';

const artifactsMax = 200;
const charactersMax = 4_000_000;

/** By their numbers in the protocol. */
const states: readonly (A2aState | undefined)[] = [
  ...[undefined, 'submitted', 'working', 'completed', 'failed', 'canceled'],
  ...['input-required', 'rejected', 'auth-required'],
] as (A2aState | undefined)[];

interface Received extends A2aArtifact {
  text: string;
}

/** What an agent has answered so far: its task, or a message without a task. */
export class Answer {
  taskId: string | undefined;
  #contextId: string | undefined;
  #state: A2aState = 'submitted';
  /** Of the last status, or of the message. */
  #said = '';
  readonly #artifacts = new Map<string, Received>();
  #characters = 0;
  #lastArtifact: string | undefined;

  /** Whether the agent does not go on by itself. */
  get isOver(): boolean {
    return this.#state !== 'submitted' && this.#state !== 'working';
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
        if (artifact) yield* this.#artifact(artifact, { append, isWhole: lastChunk });
        return;
      }
      default:
        throw new StepError('The agent does not follow the A2A protocol');
    }
  }

  *addTask(task: Task): Generator<A2aEvent> {
    this.#note({ taskId: task.id, contextId: task.contextId });
    for (const artifact of task.artifacts) yield* this.#artifact(artifact, { append: false, isWhole: true });
    yield* this.#status(task.status);
  }

  *end(): Generator<A2aEvent> {
    const written = [...this.#artifacts.values()].map(({ text }) => text).filter((text) => text !== '');
    if (written.length === 0 && this.#said !== '') yield { type: 'text-delta', text: this.#said };
    yield {
      type: 'end',
      state: this.#state,
      text: written.join('\n\n') || this.#said,
      artifacts: [...this.#artifacts.values()].map(({ text: _text, ...artifact }) => artifact),
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

  *#artifact(
    { artifactId, name, description, parts }: Artifact,
    { append, isWhole }: { append: boolean; isWhole: boolean },
  ): Generator<A2aEvent> {
    const received = partsOf(parts);
    const text = textOf(received);
    const before = this.#artifacts.get(artifactId);
    const isMore = append && before;
    this.#count(text);
    const after = isMore
      ? { ...before, text: before.text + text }
      : { ...{ id: artifactId, name, description, text }, parts: received };
    if (isMore) for (const part of received) before.parts.push(part);
    this.#artifacts.set(artifactId, after);
    yield* this.#delta(artifactId, before?.text ?? '', after.text);
    const isKnown = !append && before !== undefined && before.text === after.text;
    if (!isWhole || isKnown) return;
    const { text: _text, ...artifact } = after;
    yield { type: 'artifact', artifact: { ...artifact, parts: [...artifact.parts] } };
  }

  /** Text that replaces other text cannot be a delta: only the end has it. */
  *#delta(id: string, before: string, after: string): Generator<A2aEvent> {
    const isNew = this.#lastArtifact !== undefined && this.#lastArtifact !== id;
    const more = after.startsWith(before) ? after.slice(before.length) : '';
    if (more === '' || (isNew && before !== '')) return;
    this.#lastArtifact = id;
    yield { type: 'text-delta', text: isNew ? `\n\n${more}` : more };
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#artifacts.size > artifactsMax || this.#characters > charactersMax) {
      throw new StepError(
        `The agent answers with more than ${artifactsMax} artifacts or ${charactersMax} characters`,
      );
    }
  }
}
