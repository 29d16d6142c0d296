import { useSyncExternalStore } from 'react';

const changed = 'kept-choice';

/** A text of this person, kept in this browser, and the same in all parts of the page. */
export function useKeptText(key: string): [string | null, (value: string) => void] {
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  return [
    stored,
    (next) => {
      localStorage.setItem(key, next);
      dispatchEvent(new Event(changed));
    },
  ];
}

/** The same for one of some values, the first of which is the default. */
export function useKeptChoice<Value extends string>(
  key: string,
  values: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] {
  const [stored, store] = useKeptText(key);
  return [values.find((each) => each === stored) ?? values[0], store];
}

function subscribe(listener: () => void) {
  // `storage` comes from other windows.
  for (const type of [changed, 'storage']) addEventListener(type, listener);
  return () => {
    for (const type of [changed, 'storage']) removeEventListener(type, listener);
  };
}
