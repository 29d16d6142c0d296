import { elementsOf } from './markdown.js';
import { feedbackOn, made, questionAbout } from './parts.js';

// The list of messages.

const drawEveryMs = 80;
/** Long answers are drawn less often, so that the page stays free. */
const charactersPerMs = 200;
const list = /** @type {HTMLElement} */ (document.getElementById('messages'));
const latest = /** @type {HTMLElement} */ (document.getElementById('latest'));

const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight });

/**
 * Changes the list, and keeps its end in view if it was.
 * @param {() => void} how
 */
function change(how) {
  const follows = isAtEnd();
  how();
  if (follows) toEnd();
  else latest.hidden = false;
}

latest.addEventListener('click', toEnd);
addEventListener('scroll', () => {
  if (isAtEnd()) latest.hidden = true;
});

const speakers = { user: 'You', assistant: 'Assistant' };

/** @param {'user' | 'assistant'} role */
function add(role) {
  const item = document.createElement('li');
  item.className = role;
  const body = made('div', 'body', '');
  item.append(made('p', 'unseen', `${speakers[role]}:`), body);
  change(() => list.append(item));
  return { item, body };
}

export const clearMessages = () => list.replaceChildren();

/**
 * A message of the history.
 * @param {import('./types.d.ts').PageMessage} message
 */
export function addMessage({ role, content }) {
  const text = textOf(content);
  if (role === 'user') return addQuestion(text);
  const answer = addAnswer();
  answer.write('', text);
  answer.end();
}

/** @param {import('./types.d.ts').PageMessageContent} content */
const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map(({ text, filename }) => text ?? filename ?? 'An image').join('\n');

/**
 * What the visitor wrote, as it was written.
 * @param {string} text
 */
export function addQuestion(text) {
  add('user').body.textContent = text;
  toEnd();
}

/**
 * An answer, which may still grow.
 * @returns {import('./types.d.ts').Shown}
 */
export function addAnswer() {
  const { item, body } = add('assistant');
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {Map<string, { name: string, line: HTMLElement }>} */
  const tools = new Map();
  const why = made('p', 'note', '');
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const whole = () => Array.from(texts.values()).join('\n\n');
  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    change(() => body.replaceChildren(...elementsOf(whole())));
  };
  /** @param {Node[]} parts */
  const put = (...parts) => change(() => item.append(...parts));
  item.classList.add('waiting');
  return {
    whole,
    write(id, delta) {
      item.classList.remove('waiting');
      texts.set(id, (texts.get(id) ?? '') + delta);
      timer ??= setTimeout(draw, Math.max(drawEveryMs, whole().length / charactersPerMs));
    },
    /** Waits for more, after a decision. */
    goOn() {
      why.remove();
      item.classList.add('waiting');
    },
    end() {
      item.classList.remove('waiting');
      if (texts.size > 0) draw();
      else if (item.childElementCount > 2) body.remove();
      else item.remove();
    },
    startTool(id, name) {
      const line = made('p', 'note', `Using ${name} …`);
      tools.set(id, { name, line });
      put(line);
    },
    endTool(id, success) {
      const { name, line } = tools.get(id) ?? {};
      if (line) line.textContent = success ? `Used ${name}` : `${name} failed`;
    },
    /** Asks whether a call may be made. */
    askAbout: (call, decided) => put(questionAbout(call, decided)),
    /** Lets the visitor judge it. */
    judge(vote) {
      put(feedbackOn(vote));
    },
    /** Says under it why it is not whole. */
    note(text) {
      item.classList.remove('waiting');
      why.textContent = text;
      put(why);
    },
  };
}
