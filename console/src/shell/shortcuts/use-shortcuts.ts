import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { sections } from '../../routing/sections.ts';
import { useKeptChoice } from '../../ui/kept-choice.ts';
import { commandKey } from './keys.ts';

interface Actions {
  onSearch: () => void;
  onShortcuts: () => void;
}

/** How long after `g` the letter of a screen may come. */
const sequenceMs = 1_200;

/** Where letters are text, or choose from a list. */
const taking =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=textbox], [role=menu], [role=listbox], [role=dialog], [role=alertdialog]';

/** Speech input types letters: whoever uses it can switch them off. */
export const useLetterKeys = () => useKeptChoice('letter-keys', ['on', 'off']);

/** The keys that work on every screen. */
export function useShortcuts({ onSearch, onShortcuts }: Actions): void {
  const { history } = useRouter();
  const [letters] = useLetterKeys();
  const pressedG = useRef(Number.NEGATIVE_INFINITY);

  function onLetter({ key, timeStamp }: KeyboardEvent): boolean {
    const section = sections.find(({ letter }) => letter === key);
    const isSecond = timeStamp - pressedG.current < sequenceMs;
    pressedG.current = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
    if (isSecond && section) history.push(section.to);
    else if (key === '?') onShortcuts();
    else if (key === '/') return focusSearch();
    else return false;
    return true;
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const isCommand = event[commandKey.modifier] && event.key.toLowerCase() === 'k';
    if (isCommand && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      return document.querySelector('[role=alertdialog]') ? undefined : onSearch();
    }
    if (letters === 'off' || !isLetterKey(event)) return;
    if (onLetter(event)) event.preventDefault();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Whether a key is no text where it is pressed. */
function isLetterKey(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return !(target instanceof Element && target.closest(taking));
}

/** The letters and digits of a screen. @param onLetter Whether the key has done something */
export function useScreenKeys(onLetter: (key: string) => boolean): void {
  const [letters] = useLetterKeys();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || letters === 'off' || !isLetterKey(event)) return;
    if (onLetter(event.key)) event.preventDefault();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  return field !== null;
}
