import { hashKey } from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * What is under way for a request is not begun again for the same one: the second click of two, or the second Enter,
 * comes before the screen shows that it is pending.
 */
export function useOnceAtATime<Args extends readonly unknown[], Answer>(
  act: (...args: Args) => Promise<Answer>,
) {
  const underWay = useRef(new Map<string, Promise<Answer>>()).current;
  return (...args: Args): Promise<Answer> => {
    const key = hashKey([args[0]]);
    const running = underWay.get(key);
    if (running) return running;
    const acting = act(...args).finally(() => underWay.delete(key));
    underWay.set(key, acting);
    return acting;
  };
}
