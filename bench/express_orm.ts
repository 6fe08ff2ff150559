import { createHash } from 'node:crypto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { DataTypes, Sequelize } from 'sequelize';

/**
 * The comparison service: two reads as most teams would first write them, with Express and an ORM. It uses the same
 * database, returns the same bodies and checks keys in the same way. The benchmark starts it: node express_orm.ts URL PORT.
 */
const [url = '', port = '0'] = process.argv.slice(2);
const sequelize = new Sequelize(url, { logging: false, pool: { max: 8 } });
const settings = { timestamps: false };
const text = DataTypes.TEXT;

const Customer = sequelize.define(
  'customer',
  { no: { type: DataTypes.INTEGER, primaryKey: true }, id: DataTypes.UUID },
  { ...settings, tableName: 'customers' },
);
const Key = sequelize.define(
  'key',
  {
    no: { type: DataTypes.INTEGER, primaryKey: true },
    prefix: text,
    secret_sha256: DataTypes.BLOB,
    organization_no: DataTypes.INTEGER,
    revoked_at: DataTypes.DATE,
  },
  { ...settings, tableName: 'api_keys' },
);
const Tank = sequelize.define(
  'tank',
  {
    no: { type: DataTypes.INTEGER, primaryKey: true },
    id: DataTypes.UUID,
    organization_no: DataTypes.INTEGER,
    owner_no: DataTypes.INTEGER,
    assigned_device_id: text,
    capacity: DataTypes.DOUBLE,
    capacity_unit: text,
    custom_id: text,
    min_fill_alert_percentage: DataTypes.SMALLINT,
    name: text,
    use_case: text,
    city: text,
    country: text,
    district: text,
    latitude: DataTypes.DOUBLE,
    longitude: DataTypes.DOUBLE,
    postal_code: text,
    region: text,
    street: text,
    street_number: text,
    created_at: DataTypes.DATE,
    updated_at: DataTypes.DATE,
    deleted_at: DataTypes.DATE,
  },
  { ...settings, tableName: 'tanks' },
);
const Reading = sequelize.define(
  'reading',
  {
    tank_no: { type: DataTypes.INTEGER, primaryKey: true },
    created_at: { type: DataTypes.DATE, primaryKey: true },
    fill_percentage: DataTypes.REAL,
  },
  { ...settings, tableName: 'telemetry' },
);
Tank.belongsTo(Customer, { foreignKey: 'owner_no', targetKey: 'no', as: 'owner' });

const app = express();

async function authenticate(request: Request, response: Response, next: NextFunction): Promise<void> {
  const [prefix = '', secret = ''] = (request.get('x-api-key') ?? '').split('.');
  const key = await Key.findOne({ where: { prefix, revoked_at: null } });
  const hash = createHash('sha256').update(Buffer.from(secret, 'base64url').subarray(0, 32)).digest();
  if (key === null || !hash.equals(key.get('secret_sha256') as Buffer)) {
    response.status(401).json({ title: 'unauthorized' });
    return;
  }
  response.locals['organizationNo'] = key.get('organization_no');
  next();
}

app.get('/v1/tanks/:id', authenticate, async (request, response) => {
  const where = { id: String(request.params['id']), organization_no: response.locals['organizationNo'] as number };
  const tank = await Tank.findOne({ where, include: [{ model: Customer, as: 'owner', attributes: ['id'] }] });
  if (tank === null) {
    response.status(404).json({ title: 'not found' });
    return;
  }
  const {
    no,
    organization_no,
    owner_no,
    owner,
    deleted_at,
    city,
    country,
    district,
    latitude,
    longitude,
    postal_code,
    region,
    street,
    street_number,
    ...rest
  } = tank.get({ plain: true }) as Record<string, unknown> & { owner: { id: string } };
  void [no, organization_no, owner_no, deleted_at];
  const location = { city, country, district, latitude, longitude, postal_code, region, street, street_number };
  response.json({ object: 'tank', ...rest, owner_id: owner.id, location });
});

app.get('/v1/tanks/:id/telemetry', authenticate, async (request, response) => {
  const where = {
    id: String(request.params['id']),
    organization_no: response.locals['organizationNo'] as number,
    deleted_at: null,
  };
  const tank = await Tank.findOne({ where });
  if (tank === null) {
    response.status(404).json({ title: 'not found' });
    return;
  }
  const [page, size] = [Number(request.query['page'] ?? 1), Number(request.query['size'] ?? 10)];
  const { rows, count } = await Reading.findAndCountAll({
    where: { tank_no: tank.get('no') as number },
    order: [['created_at', 'DESC']],
    offset: (page - 1) * size,
    limit: size,
  });
  const data = rows.map((row) => ({
    object: 'telemetry',
    created_at: row.get('created_at'),
    fill_percentage: row.get('fill_percentage'),
  }));
  response.json({ object: 'list', data, page, size, total_pages: Math.ceil(count / size), total_items: count });
});

app.listen(Number(port), '127.0.0.1');
