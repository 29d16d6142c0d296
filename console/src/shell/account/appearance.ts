import { useEffect } from 'react';
import { useKeptChoice } from '../../ui/kept-choice.ts';

export const appearances = ['system', 'light', 'dark'] as const;

/** Light or dark, as the person or their system wants it. */
export function useAppearance() {
  const [appearance, choose] = useKeptChoice('appearance', appearances);
  useEffect(() => {
    document.documentElement.style.colorScheme = appearance === 'system' ? 'light dark' : appearance;
  }, [appearance]);
  return [appearance, choose] as const;
}
