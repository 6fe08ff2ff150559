from tankwatch import walk

liters = {}
for tank in walk("/v1/tanks"):
    city = tank["location"]["city"] or "unknown"
    if tank["capacity_unit"] == "liters":
        liters[city] = liters.get(city, 0) + tank["capacity"]
print(f"tanks in {len(liters)} cities")
