package registry

// schemaOf is the object schema of the visible parameters, closed, in declared order.
func schemaOf(params []Param) ([]byte, error) { panic("not written yet") }

// schemaOfParam is the schema of one parameter.
func schemaOfParam(p Param) ([]byte, error) { panic("not written yet") }
