/**
 * Holds the last answer for a few seconds, so that it can be taken back, and sends it then.
 *
 * It is sent at once when another one follows, when the inbox or the page is left, and when the page is hidden: a phone may
 * end a hidden page without a word. The request outlives the page (`keepalive`), so an answer that was given is never lost.
 * Until it is sent, the question is hidden here and open for everybody else. One that is refused is shown again, with the reason.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useApi } from '../../api/api.ts';
import { refresh } from '../../api/queries.ts';
import { choiceText } from '../../run/answer-draft.tsx';
import { inboxTexts } from '../../texts/inbox.ts';
import { explained } from '../../ui/loading/failure-text.ts';
import { notify } from '../../ui/notices.tsx';
import type { InboxEntry } from './use-inbox.ts';

export interface GivenChoice {
  choice: string;
  comment?: string;
}

interface Held {
  wait: InboxEntry;
  answer: GivenChoice;
  timer: ReturnType<typeof setTimeout>;
  closeNotice: () => void;
}

const heldMs = 6_000;

export const answerChanges = ['waits', 'runs', 'batch', 'agents'];

function reasonOf(error: Error): string {
  const { title, lines } = explained(error);
  return lines.length > 0 ? lines.join('. ') : title;
}

interface Props {
  /** Takes the question out of the list. */
  onHeld: (wait: InboxEntry) => void;
  /** Puts it back. @param isUndone By the person, who wants to see it */
  onBack: (wait: InboxEntry, comment: string, isUndone: boolean) => void;
}

export function useHeldAnswer({ onHeld, onBack }: Props) {
  const api = useApi();
  const queries = useQueryClient();
  const held = useRef<Held>(undefined);
  const isShown = useRef(true);
  const [refused, setRefused] = useState<{ wait: InboxEntry; text: string }>();

  function take(): Held | undefined {
    const taken = held.current;
    held.current = undefined;
    if (taken) clearTimeout(taken.timer);
    taken?.closeNotice();
    return taken;
  }

  async function send(): Promise<void> {
    const taken = take();
    if (!taken) return;
    const { wait, answer } = taken;
    try {
      await api.waits.answer({ params: { id: wait.id }, body: answer, keepalive: true });
    } catch (error) {
      const text = inboxTexts.notAnswered(wait.question ?? wait.title, reasonOf(error as Error));
      if (isShown.current) {
        setRefused({ wait, text });
        onBack(wait, answer.comment ?? '', false);
      } else notify(text);
    }
    await refresh(queries, answerChanges);
  }

  function undo(): boolean {
    const taken = take();
    if (taken) onBack(taken.wait, taken.answer.comment ?? '', true);
    return taken !== undefined;
  }

  function hold(wait: InboxEntry, answer: GivenChoice): void {
    send();
    setRefused(undefined);
    held.current = {
      wait,
      answer,
      timer: setTimeout(send, heldMs),
      closeNotice: notify(inboxTexts.answeredWith(choiceText(answer.choice)), undo, heldMs),
    };
    onHeld(wait);
  }

  const sendNow = useEffectEvent(() => void send());
  useEffect(() => {
    const onHidden = () => document.visibilityState === 'hidden' && sendNow();
    isShown.current = true;
    addEventListener('pagehide', sendNow);
    document.addEventListener('visibilitychange', onHidden);
    return () => {
      removeEventListener('pagehide', sendNow);
      document.removeEventListener('visibilitychange', onHidden);
    };
  }, []);
  // Its own effect: the event of an effect cannot be called when the component is gone.
  const latest = useRef(send);
  latest.current = send;
  useEffect(
    () => () => {
      isShown.current = false;
      latest.current();
    },
    [],
  );

  return { hold, undo, send, refused, forget: () => setRefused(undefined) };
}
