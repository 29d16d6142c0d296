import { useEffect, useState } from 'react';

/** A value as soon as it has stayed the same for a while: not at each key that somebody presses. */
export function useSettled<Value>(value: Value, pauseMs = 500): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
