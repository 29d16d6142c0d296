/**
 * The theme of the surface, as far as texts stay readable on it.
 * @param {import('./types.d.ts').Theme | null} [theme]
 */
export function dress(theme) {
  const { mode, primaryColor } = theme ?? {};
  const { style, dataset } = document.documentElement;
  if (mode && ['light', 'dark'].includes(mode)) dataset.mode = mode;
  const [, hex = ''] = /^#([0-9a-f]{6})$/i.exec(typeof primaryColor === 'string' ? primaryColor : '') ?? [];
  if (!hex) return;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map(
    (at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255,
  );
  /** @param {number} part */
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  style.setProperty('--accent', `#${hex}`);
  style.setProperty('--on-accent', luminance > 0.179 ? '#000000' : '#ffffff');
}
