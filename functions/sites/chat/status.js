// What the page says about itself.

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const trouble = element('trouble');

/** @type {() => unknown} */
let retry = () => {};
element('retry').addEventListener('click', () => {
  clear();
  retry();
});

/**
 * For screen readers.
 * @param {string} words
 */
export const say = (words) => {
  element('status').textContent = words;
};

/**
 * @param {string} reason
 * @param {() => unknown} [next] What can be tried again.
 */
export function complain(reason, next) {
  element('reason').textContent = reason;
  element('retry').hidden = next === undefined;
  retry = next ?? retry;
  trouble.hidden = false;
}

export const clear = () => {
  trouble.hidden = true;
};

/**
 * Why nothing came of it.
 * @param {import('./types.d.ts').ChatFailure} failure
 */
export function hindrance({ status, message }) {
  if (status === undefined || status === 0)
    return 'The service cannot be reached. Check your connection, then try again.';
  if (status === 403) return 'This chat is not open at the moment.';
  if (status === 429) return 'There were too many messages. Wait a moment, then try again.';
  if (status === 409) return message;
  return 'Something went wrong on our side. Try again in a moment.';
}
