const family = (name: string) => {
  const file = (style: string) => `dejavu-fonts-ttf/ttf/DejaVu${name}${style}.ttf`;
  return {
    normal: file(''),
    bold: file('-Bold'),
    italics: file('-Oblique'),
    bolditalics: file('-BoldOblique'),
  };
};

/** Of the free families this one has the most letters and signs: Latin, Greek, Cyrillic, arrows, boxes, mathematics. */
export const fontFamilies = { Sans: family('SansCondensed'), Mono: family('SansMono') };
export const fontFiles = Object.values(fontFamilies).flatMap((files) => Object.values(files));
