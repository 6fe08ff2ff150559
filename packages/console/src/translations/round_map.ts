const en = {
  label: 'Map of the round. The table has the same stops.',
  legend:
    'Square: depot. Filled circle: must be filled. Ring: could be filled. Grey: closed. Red: blocked. Lines are straight, and grey up to the last closed stop.',
  unplaced: (count: number) => (count === 1 ? '1 stop has no position.' : `${count} stops have no position.`),
};

const es: typeof en = {
  label: 'Mapa de la ruta. La tabla tiene las mismas paradas.',
  legend:
    'Cuadrado: planta. Círculo lleno: obligada. Anillo: posible. Gris: cerrada. Rojo: bloqueada. Las líneas son rectas, y grises hasta la última parada cerrada.',
  unplaced: (count) => (count === 1 ? '1 parada no tiene posición.' : `${count} paradas no tienen posición.`),
};

export const ROUND_MAP_TEXTS = { en, es };
