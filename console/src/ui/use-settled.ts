import { useEffect, useState } from 'react';

const pauseMs = 500;

/** A value as soon as it has stayed the same for half a second: not at each key that somebody presses. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
