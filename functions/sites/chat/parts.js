// Parts of messages.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} className
 * @param {string} [textContent]
 */
export const made = (name, className, textContent) =>
  Object.assign(document.createElement(name), { className, textContent });

/**
 * A question whether a call may be made.
 * @param {import('./types.d.ts').PendingApproval} approval
 * @param {(decision: import('./types.d.ts').ApprovalDecision) => void} decided
 */
export function questionAbout({ toolName, parameters }, decided) {
  const box = made('fieldset', 'ask');
  /**
   * @param {string} text
   * @param {import('./types.d.ts').ApprovalDecision} decision
   */
  const choice = (text, decision) => {
    const button = Object.assign(made('button', '', text), { type: 'button' });
    button.addEventListener('click', () => {
      box.disabled = true;
      box.append(decision === 'approved' ? 'Allowed' : 'Denied');
      decided(decision);
    });
    return button;
  };
  const details = made('pre', '', JSON.stringify(parameters, null, 2) ?? '');
  details.tabIndex = 0;
  box.append(
    made('legend', '', `May the assistant use ${toolName}?`),
    details,
    choice('Allow', 'approved'),
    choice('Deny', 'denied'),
  );
  return box;
}

/**
 * Buttons for a judgement of an answer.
 * @param {(type: import('./types.d.ts').Vote) => void} vote
 */
export function feedbackOn(vote) {
  const box = made('div', 'judge', '');
  /** @type {[import('./types.d.ts').Vote, string, string][]} */
  const votes = [
    ['upvote', 'Good answer', '👍'],
    ['downvote', 'Bad answer', '👎'],
  ];
  const all = votes.map(([type, label, sign]) => {
    const button = Object.assign(made('button', '', sign), {
      type: 'button',
      ariaLabel: label,
      title: label,
    });
    button.ariaPressed = 'false';
    button.addEventListener('click', () => {
      for (const each of all) each.ariaPressed = String(each === button);
      vote(type);
    });
    return button;
  });
  box.append(...all);
  return box;
}
