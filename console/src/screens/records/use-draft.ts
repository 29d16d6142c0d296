import { useState } from 'react';

/**
 * What somebody writes until it is kept. What is kept takes its place when it changes otherwise, as by a link.
 *
 * @returns the draft, how to change it, and how to keep a value.
 */
export function useDraft<Value>(kept: Value, keep: (value: Value) => void) {
  const text = JSON.stringify(kept);
  const [draft, setDraft] = useState(kept);
  const [seen, setSeen] = useState(text);
  const [sent, setSent] = useState<string>();
  if (seen !== text) {
    setSeen(text);
    setSent(undefined);
    if (text !== sent) setDraft(kept);
  }
  function keepIt(value: Value) {
    setSent(JSON.stringify(value));
    keep(value);
  }
  return [draft, setDraft, keepIt] as const;
}
