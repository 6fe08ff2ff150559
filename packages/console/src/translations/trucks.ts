const en = {
  limits: 'Planning',
  fillTo: 'Fill tanks to',
  mustAbove: 'Must be filled above',
  limitsHelp:
    'New rounds begin with these values, in this browser. “Must be filled above” is the chance of being empty before the next visit. A stored round keeps its own values. You can replace them with these.',
  fillToHelp:
    'Free space in a tank for liquefied gas is computed up to this level, unless the tank has its own fill limit. The setting is stored in this browser.',
  trucks: 'Trucks',
  drivers: 'Drivers',
  none: 'None yet.',
  archive: 'Archive',
  restore: 'Use again',
  changed: 'Not saved: somebody else has changed it. Try again.',
};

const es: typeof en = {
  limits: 'Planeación',
  fillTo: 'Llenar los tanques al',
  mustAbove: 'Obligada con más de',
  limitsHelp:
    'Las rutas nuevas empiezan con estos valores, en este navegador. “Obligada con más de” es la probabilidad de quedar vacío antes de la próxima visita. Una ruta guardada conserva los suyos. Puede cambiarlos por estos.',
  fillToHelp:
    'Lo que cabe en un tanque de gas licuado se calcula hasta este nivel, salvo que el tanque tenga su propio límite de llenado. El ajuste se guarda en este navegador.',
  trucks: 'Pipas',
  drivers: 'Choferes',
  none: 'Todavía no hay.',
  archive: 'Archivar',
  restore: 'Usar otra vez',
  changed: 'No se guardó: otra persona lo cambió. Inténtelo de nuevo.',
};

export const TRUCK_TEXTS = { en, es };
