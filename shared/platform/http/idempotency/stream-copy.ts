import { parseExact } from '../../../core/json/exact-json.ts';

/** The pieces of a text: those of one text that follow each other are kept as one. */
interface Piece {
  type: string;
  id?: string;
  toolCallId?: string;
  delta: string;
}

/** Longer bodies are kept as their first and their last event, which say what ran and how it ended. */
const charactersMax = 4_000_000;

/** Gathers the text of a streamed body without what only keeps its connection open. */
export function openCopy() {
  const kept: string[] = [];
  let last: Piece | undefined;
  let characters = 0;
  /** What was added since somebody took the text. */
  let fresh: string[] | undefined;

  function push(text: string, piece?: Piece): void {
    const before = piece && last && sourceOf(piece) === sourceOf(last) ? last : undefined;
    const whole = piece && { ...piece, delta: (before?.delta ?? '') + piece.delta };
    const frame = whole && before ? withData(text, whole) : text;
    const replaced = before ? kept.pop() : undefined;
    characters += frame.length - (replaced?.length ?? 0);
    last = whole;
    kept.push(frame);
    if (characters > charactersMax && kept.length > 2) {
      for (const dropped of kept.splice(1, kept.length - 2)) characters -= dropped.length;
    }
  }

  return {
    add(text: string): void {
      if (text.startsWith(':') || text.trim() === '') return;
      const event = dataOf(text);
      if (event?.type === 'ping') return;
      fresh?.push(text);
      push(text, event && 'delta' in event ? (event as Piece) : undefined);
    },
    text: () => kept.join(''),
    /** What was added since the last time; first, everything. */
    takeNew(): string {
      const taken = (fresh ?? kept).join('');
      fresh = [];
      return taken;
    },
  };
}

const sourceOf = ({ type, id = '', toolCallId = '' }: Piece) => `${type} ${id} ${toolCallId}`;

const dataLine = /^data: (.*)$/m;

function dataOf(frame: string): (object & { type?: string }) | undefined {
  const [, data] = dataLine.exec(frame) ?? [];
  return data === undefined ? undefined : (parseExact(data) as object);
}

const withData = (frame: string, piece: Piece) =>
  frame.replace(dataLine, () => `data: ${JSON.stringify(piece)}`);
