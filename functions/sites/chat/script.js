import { showAnswer } from './answer.js';
import { addAnswer, addMessage, addQuestion, clearMessages } from './messages.js';
import { answerTo, decide, eventsAfter, openChat, sendFeedback } from './service.js';
import { clear, complain, hindrance, say } from './status.js';
import { dress } from './theme.js';

// The page of a chat surface. The session is kept for this tab, so that a reload continues the chat.

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const [form, send, again] = [element('form'), element('send'), element('new')];
const text = /** @type {HTMLTextAreaElement} */ (element('text'));
const [, surfaceId = ''] = /\/surfaces\/([^/]+)\/page$/.exec(location.pathname) ?? [];
const storedAs = `chat ${surfaceId}`;

/** @type {string | undefined} */
let sessionId;
/**
 * The answer that is coming, until it ends.
 * @type {AbortController | undefined}
 */
let answering;
/** The former answer may still run. */
let wasStopped = false;

/**
 * Ends when the chat is open, or says why it is not.
 * @type {Promise<void> | undefined}
 */
let opening;
const open = () => {
  opening = opened();
  return opening;
};

async function opened() {
  clear();
  try {
    const { sessionId: id, flow, config, conversation, executionId } = await openChat(surfaceId, sessionId);
    keep(id);
    clearMessages();
    show(flow, config);
    for (const message of conversation?.messages ?? []) addMessage(message);
    if (executionId) follow(addAnswer(), (signal) => eventsAfter({ sessionId, executionId }, signal));
  } catch (error) {
    complain(hindrance(error), error.status === 403 ? undefined : open);
  }
}

/** @param {string | undefined} id */
function keep(id) {
  sessionId = id;
  if (id) sessionStorage.setItem(storedAs, id);
  else sessionStorage.removeItem(storedAs);
}

/**
 * @param {import('./types.d.ts').Chat['flow']} flow
 * @param {import('./types.d.ts').Chat['config']} config
 */
function show({ name, description }, { placeholder, welcomeMessage, theme }) {
  document.title = name ?? 'Chat';
  element('title').textContent = document.title;
  element('description').textContent = description ?? '';
  element('description').hidden = !description;
  text.placeholder = placeholder ?? 'Write a message';
  dress(theme);
  if (welcomeMessage) {
    const welcome = addAnswer();
    welcome.write('welcome', welcomeMessage);
    welcome.end();
  }
  form.hidden = false;
  again.hidden = false;
  text.focus();
}

/** @param {string} content */
async function ask(content) {
  // A message that is sent while a chat opens belongs to that chat.
  await opening;
  if (!sessionId) {
    text.value = content;
    return;
  }
  clear();
  addQuestion(content);
  await answer({ role: 'user', content, id: crypto.randomUUID() });
}

/** @param {import('./types.d.ts').VisitorMessage} message */
function answer(message) {
  const submitMode = wasStopped ? 'interrupt' : 'normal';
  const assistantMessageId = crypto.randomUUID();
  const request = { sessionId, messages: [message], assistantMessageId, submitMode };
  const shown = addAnswer();
  return follow(shown, (signal) => answerTo(request, signal), { message, assistantMessageId });
}

/**
 * Shows the rest of an answer.
 * @param {import('./types.d.ts').Shown} shown
 * @param {(signal: AbortSignal) => Promise<import('./types.d.ts').Events>} first
 * @param {{ message: import('./types.d.ts').VisitorMessage, assistantMessageId: string }} [asked] What is sent again if it fails,
 *   and the id of the answer.
 * @returns {Promise<void>}
 */
async function follow(shown, first, asked) {
  const { signal } = begin();
  /** @type {import('./types.d.ts').Decided} */
  const decided = ({ executionId, approvalId }, decision) => {
    shown.goOn();
    const given = { sessionId, executionId, approvalId, decision };
    return follow(shown, (signal) => decide(given, signal), asked);
  };
  const source = {
    first: () => first(signal),
    after: (/** @type {import('./types.d.ts').StreamPosition} */ place) =>
      eventsAfter({ sessionId, ...place }, signal),
  };
  say('The assistant is answering');
  try {
    const ending = await showAnswer(source, shown, decided);
    wasStopped = false;
    shown.end();
    if (asked && !ending) shown.judge((type) => judge(asked.assistantMessageId, type));
    say(ending ?? `Assistant: ${shown.whole()}`);
  } catch (error) {
    if (!signal.aborted) failed(error, shown, asked?.message);
    else {
      shown.end();
      shown.note('Stopped');
      say('Stopped');
    }
  } finally {
    if (answering?.signal === signal) end();
  }
}

/**
 * @param {string} messageId
 * @param {import('./types.d.ts').Vote} type
 */
const judge = (messageId, type) =>
  sendFeedback({ sessionId, messageId, type }).then(
    () => say('Thank you'),
    (error) => complain(hindrance(error)),
  );

/**
 * @param {import('./types.d.ts').ChatFailure} error
 * @param {import('./types.d.ts').Shown} shown
 * @param {import('./types.d.ts').VisitorMessage} [message]
 */
function failed(error, shown, message) {
  shown.end();
  if (error.status === 401) {
    keep(undefined);
    return complain('The chat was idle for too long. Go on in a new one.', async () => {
      await open();
      if (message) await answer(message);
    });
  }
  const reason = error.status === undefined ? error.message : hindrance(error);
  // The service may have the message: then the history shows what came of it.
  if (!message || error.status === 409) return complain(reason, reload);
  const id = error.status === 0 ? message.id : crypto.randomUUID();
  complain(reason, () => answer({ ...message, id }));
}

function reload() {
  clearMessages();
  return open();
}

function begin() {
  answering = new AbortController();
  send.textContent = 'Stop';
  send.classList.add('stop');
  return answering;
}

function end() {
  answering = undefined;
  send.textContent = 'Send';
  send.classList.remove('stop');
}

function submit() {
  if (answering) {
    wasStopped = true;
    return answering.abort();
  }
  const content = text.value.trim();
  if (content === '') return text.focus();
  text.value = '';
  text.focus();
  return ask(content);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (!answering) submit();
});
again.addEventListener('click', () => {
  answering?.abort();
  keep(undefined);
  reload();
});

sessionId = sessionStorage.getItem(storedAs) ?? undefined;
open();
