"""Users' own classes for types and values: a function is applied to each type or value of a kind."""

TYPES, VALUES = {}, {}  # class of the type: function


def complete(ir):
    """Adds the functions that register casters to the module `ir`."""

    def register_type_caster(typeid, *, replace=False):
        def register(caster):
            # every type has the library's class by default
            if not replace:
                raise RuntimeError(f"Type caster is already registered with caster: {TYPES.get(typeid._key, typeid._key)}")
            TYPES[typeid._key] = caster
            return caster

        return register

    def register_value_caster(typeid, *, replace=False):
        def register(caster):
            if typeid._key in VALUES and not replace:
                raise RuntimeError(f"Value caster is already registered: {VALUES[typeid._key]}")
            VALUES[typeid._key] = caster
            return caster

        return register

    return {"register_type_caster": register_type_caster, "register_value_caster": register_value_caster}
