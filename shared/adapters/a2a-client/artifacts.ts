import type { Artifact } from '@a2a-js/sdk';
import { StepError } from '../../core/errors/step-error.ts';
import type { A2aArtifact, A2aEvent, A2aPart } from '../ports/a2a-port.ts';
import { a2aParts, joinTextParts } from './parts.ts';

const artifactsMax = 200;
/** Also of what is shown again because something was appended. */
const partsMax = 100_000;
const charactersMax = 4_000_000;

interface Received extends A2aArtifact {
  text: string;
  /** Whether it was shown: what is appended later shows all of it again. */
  wasShown: boolean;
}

export class Artifacts {
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
    // Each poll of a task repeats its artifacts.
    if (!isKnown) this.#count(received, text);
    const after = isMore
      ? { ...before, text: before.text + text }
      : { id: artifactId, name, description, text, parts: received, wasShown: false };
    if (isMore) for (const part of received) before.parts.push(part);
    this.#byId.set(artifactId, after);
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
