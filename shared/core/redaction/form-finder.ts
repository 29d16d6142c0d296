/**
 * Finds the forms of secret values in texts, with the automaton of Aho and Corasick: the work is linear to the text,
 * whatever the values and the text are, and independent of how many forms there are. The other side chooses the text, and
 * sometimes the value (a token), so a search that compares a form at each position would be theirs to slow down.
 *
 * A long form is found by its beginning, and hides as many characters as it has: so the automaton stays small, and a value
 * that another side truncates is hidden too (D239).
 */

/** One encoding of a secret value, and its replacement. */
export interface Form {
  text: string;
  mark: string;
}

/** The positions of values in a text. Overlapping values are one hit with the marks of all. */
export interface FormHit {
  start: number;
  end: number;
  marks: string[];
}

export interface Finder {
  find: (text: string) => FormHit[];
  /** Searches a text that comes in pieces. */
  scan: () => FormScan;
  /** What it did so far, in steps of the automaton. Tests count them. */
  steps: () => number;
}

/** Positions count from the beginning of the whole text. */
interface FormScan {
  push: (piece: string) => void;
  /** The hits so far that no further text can change, and where the text begins that it can. */
  takeSettled: () => { hits: FormHit[]; upTo: number };
  /** The hits that are left when there is no further text. */
  end: () => FormHit[];
}

/** The length of the shortest form. */
export const formLengthMin = 6;
/** So many characters identify a form. */
const headLengthMax = 512;

export function createFormFinder(forms: readonly Form[]): Finder {
  const mayOccurIn = openStartFilter(forms);
  let built: Automaton | undefined;
  // Most texts contain no beginning of any form, so most finders never need it.
  const automaton = () => {
    built ??= new Automaton(forms);
    return built;
  };
  return {
    find(text) {
      if (!mayOccurIn(text)) return [];
      const scan = openScan(automaton());
      scan.push(text);
      return scan.end();
    },
    scan: () => openScan(automaton()),
    steps: () => built?.steps ?? 0,
  };
}

/** Rules out most texts quickly: a bitmap with 64 bits per beginning. */
function openStartFilter(forms: readonly Form[]): (text: string) => boolean {
  const bits = 2 ** Math.min(21, 6 + Math.ceil(Math.log2(forms.length + 1)));
  const begins = new Uint32Array(bits / 32);
  const last = bits - 1;
  for (const { text } of forms) {
    const hash = computeHash(text, 0) & last;
    begins[hash >>> 5] = (begins[hash >>> 5] ?? 0) | (1 << (hash & 31));
  }
  return (text) => {
    for (let at = 0; at + formLengthMin <= text.length; at++) {
      const hash = computeHash(text, at) & last;
      if (((begins[hash >>> 5] ?? 0) & (1 << (hash & 31))) !== 0) return true;
    }
    return false;
  };
}

const computeHash = (text: string, at: number) =>
  (text.charCodeAt(at) * 0x9e37) ^
  (text.charCodeAt(at + 1) * 0x79b9) ^
  (text.charCodeAt(at + 2) * 0x85eb) ^
  (text.charCodeAt(at + 3) * 0xc2b3);

/** What is found: a form, by its first characters. */
interface Entry {
  head: string;
  length: number;
  mark: string;
}

/**
 * A node is a beginning of forms; 0 is the empty one. The nodes of a form follow each other, so that only branches need a
 * map: the child of most nodes is the next one.
 */
class Automaton {
  steps = 0;
  /** How many characters lead to a node. */
  readonly depths: Uint16Array;
  readonly #entries: readonly Entry[];
  readonly #characters: Uint16Array;
  readonly #parents: Int32Array;
  /** Whether the next node is a child. */
  readonly #continues: Uint8Array;
  readonly #branches = new Map<number, number>();
  readonly #branching: Uint8Array;
  /** The longest proper end of a node that is a node. */
  readonly #fails: Int32Array;
  /** The longest entry whose head ends at a node, from 1. */
  readonly #found: Int32Array;
  #count = 1;

  constructor(forms: readonly Form[]) {
    this.#entries = forms.map(({ text, mark }) => ({
      head: text.slice(0, headLengthMax),
      length: text.length,
      mark,
    }));
    const size = this.#entries.reduce((sum, { head }) => sum + head.length, 1);
    this.depths = new Uint16Array(size);
    this.#characters = new Uint16Array(size);
    this.#parents = new Int32Array(size);
    this.#continues = new Uint8Array(size);
    this.#branching = new Uint8Array(size);
    this.#fails = new Int32Array(size);
    this.#found = new Int32Array(size);
    for (const [index, entry] of this.#entries.entries()) this.#add(entry, index);
    this.#link();
    this.steps = 0;
  }

  /** The node after a character. */
  next(node: number, character: number): number {
    for (let at = node; ; at = this.#fails[at] ?? 0) {
      this.steps++;
      const child = this.#childOf(at, character);
      if (child !== 0 || at === 0) return child;
    }
  }

  findEntry(node: number): Entry | undefined {
    return this.#entries[(this.#found[node] ?? 0) - 1];
  }

  #childOf(node: number, character: number): number {
    if (this.#continues[node] === 1 && this.#characters[node + 1] === character) return node + 1;
    return this.#branching[node] === 1 ? (this.#branches.get(node * 0x10000 + character) ?? 0) : 0;
  }

  #add({ head, length }: Entry, index: number): void {
    let node = 0;
    for (let at = 0; at < head.length; at++) {
      const character = head.charCodeAt(at);
      node = this.#childOf(node, character) || this.#addChild(node, character);
    }
    if (length > (this.findEntry(node)?.length ?? 0)) this.#found[node] = index + 1;
  }

  #addChild(node: number, character: number): number {
    const child = this.#count++;
    if (child === node + 1) this.#continues[node] = 1;
    else {
      this.#branching[node] = 1;
      this.#branches.set(node * 0x10000 + character, child);
    }
    this.#characters[child] = character;
    this.#parents[child] = node;
    this.depths[child] = (this.depths[node] ?? 0) + 1;
    return child;
  }

  /** A node's end is that of its parent with one more character, so shorter nodes come first. */
  #link(): void {
    for (const node of this.#byDepth()) {
      const parent = this.#parents[node] ?? 0;
      if (parent !== 0) {
        this.#fails[node] = this.next(this.#fails[parent] ?? 0, this.#characters[node] ?? 0);
      }
      this.#found[node] ||= this.#found[this.#fails[node] ?? 0] ?? 0;
    }
  }

  #byDepth(): Int32Array {
    const places = new Int32Array(headLengthMax + 2);
    const getDepth = (node: number) => this.depths[node] ?? 0;
    const getPlace = (depth: number) => places[depth] ?? 0;
    for (let node = 1; node < this.#count; node++)
      places[getDepth(node) + 1] = getPlace(getDepth(node) + 1) + 1;
    for (let depth = 1; depth < places.length; depth++) places[depth] = getPlace(depth) + getPlace(depth - 1);
    const nodes = new Int32Array(this.#count - 1);
    for (let node = 1; node < this.#count; node++) {
      const place = getPlace(getDepth(node));
      nodes[place] = node;
      places[getDepth(node)] = place + 1;
    }
    return nodes;
  }
}

interface Match {
  start: number;
  end: number;
  mark: string;
}

function openScan(automaton: Automaton): FormScan {
  let node = 0;
  let at = 0;
  /** That a longer one may still contain. None contains another, so they are in the order of beginnings and of ends. */
  const matches: Match[] = [];
  let hits: FormHit[] = [];

  function note({ head, length, mark }: Entry): void {
    const start = at - head.length;
    const end = start + length;
    for (let last = matches.at(-1); last && last.start >= start && last.end <= end; last = matches.at(-1)) {
      matches.pop();
    }
    const last = matches.at(-1) ?? hits.at(-1);
    if (!last || last.end < end) matches.push({ start, end, mark });
  }

  /** Longer matches begin where the open end of the text does, so what begins before it stays as it is. */
  function settle(open: number): void {
    for (let match = matches[0]; match && match.start < open; match = matches[0]) {
      matches.shift();
      const { start, end, mark } = match;
      const last = hits.at(-1);
      if (!last || last.end <= start) hits.push({ start, end, marks: [mark] });
      else {
        last.end = end;
        if (last.marks.at(-1) !== mark) last.marks.push(mark);
      }
    }
  }

  const openFrom = () => at - (automaton.depths[node] ?? 0);
  return {
    push(piece) {
      for (let index = 0; index < piece.length; index++) {
        node = automaton.next(node, piece.charCodeAt(index));
        at++;
        const entry = automaton.findEntry(node);
        if (!entry) continue;
        settle(openFrom());
        note(entry);
      }
    },
    takeSettled() {
      const open = openFrom();
      settle(open);
      const first = hits.findIndex(({ end }) => end > open);
      const upTo = Math.min(open, hits[first]?.start ?? open);
      const taken = first === -1 ? hits : hits.slice(0, first);
      hits = first === -1 ? [] : hits.slice(first);
      return { hits: taken, upTo };
    },
    end() {
      settle(Number.POSITIVE_INFINITY);
      return hits.map((hit) => ({ ...hit, end: Math.min(hit.end, at) }));
    },
  };
}
