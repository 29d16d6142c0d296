import { useEffect, useState } from 'react';
import { Choice } from '../ui/forms/choice.tsx';

const key = 'theme';
const themes = [
  { value: 'light dark', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
type Theme = (typeof themes)[number]['value'];

/** Light or dark, kept in this browser. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  useEffect(() => {
    document.documentElement.style.colorScheme = theme;
    localStorage.setItem(key, theme);
  }, [theme]);
  return <Choice label="Colours" value={theme} options={themes} onChange={setTheme} />;
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return themes.find(({ value }) => value === stored)?.value ?? 'light dark';
}
