const en = {
  open: 'Choose on the map',
  close: 'Hide the map',
  label: 'Map on which you choose the place',
  hint: 'Click on the place, or drag the mark. Or move the map until the place is below the cross, also with the arrow keys, and then:',
  middle: 'Take the middle',
};

const es: typeof en = {
  open: 'Elegir en el mapa',
  close: 'Ocultar el mapa',
  label: 'Mapa en el que se elige el lugar',
  hint: 'Haga clic en el lugar o arrastre la marca. O mueva el mapa, también con las flechas, hasta que el lugar esté bajo la cruz, y entonces:',
  middle: 'Tomar el centro',
};

/** Texts of the map on which a place is chosen. */
export const PLACE_TEXTS = { en, es };
