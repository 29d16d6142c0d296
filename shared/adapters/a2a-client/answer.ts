import type { StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { StepError } from '../../core/errors/step-error.ts';
import type { A2aEvent, A2aState } from '../ports/a2a-port.ts';
import { Artifacts } from './artifacts.ts';
import { textOfMessage } from './parts.ts';

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
